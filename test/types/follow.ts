import { isEntry, type LedgerEntry, type Network } from "../../src/client/index.ts";

/** What a follower knows of a change; what must not compile stands below a directive. */
export async function followed(network: Network): Promise<void> {
  for await (const change of network.follow()) {
    if (isEntry(change, "post")) {
      const id: number = change.body.post_id;
      const topic: string | undefined = change.body.topic;
      heard(id, topic, change.text["body"]);
      // @ts-expect-error No post has this field.
      heard(change.body.claim_id);
    }
    // @ts-expect-error No kind has this name.
    if (isEntry(change, "posts")) heard(change.id);
    heard(change.kind, change.body);
  }
  const { entries } = await network.changes.since({ after_id: 0 });
  for (const entry of entries) if (isEntry(entry, "verdict")) heard(entry.body.outcome.length);
}

/** The union is closed: the kind alone tells the fields. */
export function reported(entry: LedgerEntry): string {
  if (entry.kind === "post_hidden") return `${entry.body.post_id}`;
  // @ts-expect-error Not every kind has this field.
  return entry.body.post_id;
}

declare function heard(...what: readonly unknown[]): void;
