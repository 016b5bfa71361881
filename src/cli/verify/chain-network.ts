import type * as z from "zod";
import { connect, type Network } from "../../client/client.ts";
import { CairnError } from "../../client/error.ts";
import type { EntryProof } from "../../kernel/inclusion.ts";
import type { Operation } from "../../kernel/operation.ts";
import type { Seal } from "../../kernel/seal-text.ts";
import { ledger, SEALS_LIMIT_MAX } from "../../ledger/contract.ts";
import { SINCE_LIMIT_MAX, views } from "../../views/contract.ts";
import { boundedFetch } from "../command/bounded-fetch.ts";
import { Stop, UNREADABLE } from "../command/stop.ts";
import { type ChainRecord, type ChainSource, chainRecord } from "./chain-records.ts";

/** The entries to read beside the seals: those that the links need, or every one. */
export type Depth = "links" | "entries";

const TIMEOUT_MS = 60_000;

/** Rotations, and restores, that are followed at most. */
const TURNS_MAX = 1_000;

/** The chain of a running service, up to its present head. A Stop when it cannot be read. */
export async function networkChain(baseUrl: string, depth: Depth): Promise<ChainSource> {
  const network = connect({ baseUrl, fetch: boundedFetch, timeout_ms: TIMEOUT_MS });
  const { origin, keys } = await answerOf(ledger.verify, network.ledger.verify({}));
  const { head } = await sealsAfter(network, 0, 1);
  const turns = depth === "entries" ? [] : await turnProofs(network, origin);
  return {
    header: {
      type: "cairn-export",
      version: 1,
      origin,
      keys,
      entries: depth === "entries",
      head: head && { seq: head.seq, seal_hash: head.seal_hash },
    },
    records: recordsOf(network, depth, turns, head?.seq ?? 0),
  };
}

async function* recordsOf(
  network: Network,
  depth: Depth,
  turns: readonly EntryProof[],
  head_seq: number,
): AsyncGenerator<ChainRecord> {
  for (const proof of turns) yield chainRecord.parse({ ...proof, type: "proof" });
  const entries = depth === "entries" ? entriesOf(network) : null;
  for await (const seal of sealsOf(network, head_seq)) {
    for (let id = seal.from_id; entries !== null && id <= seal.to_id; id++) {
      const { value } = await entries.next();
      if (value === undefined) break; // The walk tells how many are missing.
      yield value;
    }
    yield { ...seal, type: "seal" };
  }
}

/** Seals up to `head_seq`, or to a page that leads nowhere: the walk then misses the head. */
async function* sealsOf(network: Network, head_seq: number): AsyncGenerator<Seal> {
  for (let after_seq = 0; after_seq < head_seq; ) {
    const { seals } = await sealsAfter(network, after_seq, SEALS_LIMIT_MAX);
    const next = seals.at(-1)?.seq ?? 0;
    yield* seals.filter(({ seq }) => seq <= head_seq);
    if (next <= after_seq) return;
    after_seq = next;
  }
}

async function* entriesOf(network: Network): AsyncGenerator<ChainRecord, undefined> {
  for (let after_id = 0; ; ) {
    const query = { after_id, limit: SINCE_LIMIT_MAX, with: "entry" } as const;
    const { entries } = await answerOf(views.since, network.views.since(query));
    const next = entries.at(-1)?.id ?? 0;
    for (const entry of entries) {
      const { data } = chainRecord.safeParse({ ...entry, type: "entry" });
      if (data === undefined) throw new Stop(UNREADABLE, `${nameOf(views.since)}: ${MISSHAPEN}`);
      yield data;
    }
    if (next <= after_id) return undefined;
    after_id = next;
  }
}

/** `GET /seal` as every release has answered it: the first ones had no `more`. */
export const SEALS = { ...ledger.seals, output: ledger.seals.output.omit({ more: true }) };

const sealsAfter = (network: Network, after_seq: number, limit: number) =>
  answerOf(SEALS, network.ledger.seals({ after_seq, limit }));

/** Proofs of genesis, of every rotation, and of every restore that the origin line counts. */
async function turnProofs(network: Network, origin: string): Promise<EntryProof[]> {
  const epoch = Math.min(Number(/#(\d{1,6})$/.exec(origin)?.[1] ?? 1), TURNS_MAX);
  const found = [await proofOf(network, "genesis", "1")];
  for (let n = 2; n <= epoch; n++) found.push(await proofOf(network, "ledger_restored", String(n)));
  for (let n = 1; n <= TURNS_MAX; n++) {
    const rotation = await proofOf(network, "key_rotation", String(n));
    if (rotation === null) break;
    found.push(rotation);
  }
  return found.filter((proof) => proof !== null);
}

async function proofOf(network: Network, kind: string, id: string): Promise<EntryProof | null> {
  try {
    return await answerOf(ledger.proof, network.ledger.proof({ kind, id }));
  } catch (error) {
    const { cause } = error instanceof Stop ? error : {};
    const code = cause instanceof CairnError ? cause.code : "";
    if (code === "entry_not_found" || code === "not_sealed_yet") return null;
    throw error;
  }
}

/** The answer, if it has the shape that the contract promises; otherwise a Stop. */
export async function answerOf<Out extends z.ZodObject>(
  operation: Operation<z.ZodObject, Out>,
  called: Promise<unknown>,
): Promise<z.output<Out>> {
  const answer = await called.catch((error: unknown) => {
    if (!(error instanceof CairnError)) throw error;
    throw new Stop(UNREADABLE, `${nameOf(operation)}: ${sentenceOf(error)}`, error);
  });
  const { data } = operation.output.safeParse(answer);
  if (data === undefined) throw new Stop(UNREADABLE, `${nameOf(operation)}: ${MISSHAPEN}`);
  return data;
}

const MISSHAPEN = "The answer does not have the shape that the protocol gives it.";

const nameOf = ({ method, path }: Operation): string => `${method} /api/v1${path}`;

/** The error and the innermost reason for it, such as ECONNREFUSED. */
function sentenceOf(error: CairnError): string {
  let innermost: unknown = error;
  while (innermost instanceof Error && innermost.cause !== undefined) innermost = innermost.cause;
  const reason = innermost instanceof Error && innermost !== error ? ` (${innermost.message})` : "";
  return `${error.message}${reason}`;
}
