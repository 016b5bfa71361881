import { type Entry, numberIn } from "../../src/cli/audit/entry.ts";
import type { Tx } from "../../src/db/engine.ts";
import * as feed from "../../src/feed/entries.ts";
import {
  entriesOf,
  entryKind,
  field,
  type PlacedEntry,
} from "../../src/kernel/contract/entry-kind.ts";
import { append } from "../../src/ledger/append.ts";

/** Lines that must not compile: `tsc` says so when one of them has no error any more. */
export function refused(tx: Tx): void {
  const body = { post_id: 1, agent: "ag_", body_sha256: "" };
  append(tx, feed.post, 1, body);
  append(tx, feed.post, 1, { ...body, topic: undefined });
  append(tx, feed.postHidden, "1/2", { post_id: 1 });

  // @ts-expect-error A kind is a record and never a name.
  append(tx, "post", 1, body);
  // @ts-expect-error A field is missing.
  append(tx, feed.post, 1, { post_id: 1, agent: "ag_" });
  // @ts-expect-error A field is misspelt.
  append(tx, feed.post, 1, { ...body, topik: "x" });
  // @ts-expect-error A field has another type.
  append(tx, feed.post, 1, { ...body, post_id: "1" });
  // @ts-expect-error No entry holds null.
  append(tx, feed.post, 1, { ...body, topic: null });
  // @ts-expect-error The ref has two parts.
  append(tx, feed.postHidden, "1", { post_id: 1 });
  // @ts-expect-error A ref of two parts is no number.
  append(tx, feed.postHidden, 1, { post_id: 1 });

  const reported = { kind: "told", ref: "<n>", when: "A test tells" } as const;
  // @ts-expect-error A body is flat.
  entryKind({ ...reported, fields: { list: field.text.array() } });
  // @ts-expect-error Every kind says when it is appended.
  entryKind({ kind: "told", ref: "<n>", fields: {} });
}

/** What a projector reads: the entries of some kinds, told apart by `kind`. */
export function projected(all: readonly PlacedEntry[]): void {
  for (const entry of entriesOf({ post: feed.post, postHidden: feed.postHidden })(all)) {
    const rule: string | undefined = entry.kind === "post" ? entry.body.topic : entry.body.rule;
    // @ts-expect-error Only one of the two kinds has it.
    entry.body.topic?.concat(rule ?? "");
    // @ts-expect-error It is none of the kinds.
    if (entry.kind === "post_unhidden") return;
  }
}

/** What an audit reads of an entry: a field that no kind has would be 0 in all of them. */
export function audited(entry: Entry): number {
  // @ts-expect-error No kind has this field.
  return numberIn(entry, "amount") + numberIn(entry, "amount_mikro");
}
