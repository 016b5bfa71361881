import type { EntryProof } from "../platform/kernel/proof/inclusion.ts";
import type { Seal } from "../platform/kernel/proof/seal-text.ts";
import { refuseEndedLedger } from "./ended.ts";
import {
  type ChainHeader,
  type ChainRecord,
  type ChainSource,
  type EntryRecord,
  isEntry,
  isHead,
  isListOf,
  isOpen,
  isOperator,
  isProof,
  isSeal,
  type SourceHead,
} from "./shapes.ts";
import { Stop, UNREADABLE } from "./stop.ts";
import { asking, PACE, paced, Refused, type Route } from "./transport.ts";

/** The entries to read beside the seals: those that the links need, or every one. */
export type Depth = "links" | "entries";

/** Seals or entries of a page at most. */
const PAGE = 1_000;

/** Pages of entries that are read while another is checked. */
const AHEAD = 2;

/** A seal a second since computers count seconds. */
const SEALS_MAX = 2 ** 31;

/** So many faults show what a service is; it might make them without end. */
const FAULTS_MAX = 1_000;

/** Rotations, and restores, that are followed at most. */
const TURNS_MAX = 1_000;

/** The chain of a running service, up to its present head. A Stop when it cannot be read. */
export async function networkChain(
  baseUrl: string,
  depth: Depth,
  signal?: AbortSignal,
): Promise<ChainSource> {
  const read = readerOf(baseUrl, signal);
  // Questions that were asked ahead end with the walk.
  const control = new AbortController();
  signal?.addEventListener("abort", () => control.abort(signal.reason), { once: true });
  const ahead = { read: readerOf(baseUrl, control.signal), end: () => control.abort() };
  const { origin, keys } = await read("/verify", {}, isOperator);
  await refuseEndedService(baseUrl, read);
  const { head } = await sealsAfter(read, 0, 1);
  if (head !== null && head.seq > SEALS_MAX)
    throw new Stop(
      UNREADABLE,
      `The service names seal ${head.seq} as its head: no chain has as many.`,
    );
  const turns = depth === "entries" ? [] : await turnProofs(read, origin);
  const header: ChainHeader = {
    type: "cairn-export",
    version: 1,
    origin,
    keys: keys.map(({ public_key, from_seq, to_seq, anchored }) => ({
      public_key,
      from_seq,
      to_seq,
      anchored,
    })),
    entries: depth === "entries",
    head: head && { seq: head.seq, seal_hash: head.seal_hash },
  };
  const records = recordsOf(read, depth === "entries" ? ahead : null, turns, head?.seq ?? 0);
  return { header, records: paced(records, PACE), faultsMax: FAULTS_MAX };
}

/** A Stop when a running service has a ledger of before its first entry named the rules. */
export async function refuseEndedService(baseUrl: string, read = readerOf(baseUrl)): Promise<void> {
  const page = await read("/since", { after_id: 0, limit: 1, with: "entry" }, isEntriesPage);
  refuseEndedLedger(baseUrl, page.entries[0]);
}

type Query = Readonly<Record<string, string | number>>;

/** Asks, and resolves to an answer of that shape; otherwise a Stop that names the address. */
type Read = <Answer>(
  path: Route,
  query: Query,
  is: (value: unknown) => value is Answer,
) => Promise<Answer>;

function readerOf(baseUrl: string, signal?: AbortSignal): Read {
  const ask = asking(baseUrl, signal);
  return async (path, query, is) => {
    const name = `GET ${baseUrl}/api/v1${path}`;
    const answer = await ask(path, query).catch((error: unknown) => {
      if (error instanceof Refused) throw new Stop(UNREADABLE, `${name}: ${error.message}`, error);
      throw error;
    });
    if (is(answer)) return answer;
    const reason = "The answer does not have the shape that the protocol gives it.";
    throw new Stop(UNREADABLE, `${name}: ${reason}`);
  };
}

/** A reader whose open questions can be ended together. */
interface Ahead {
  readonly read: Read;
  end(): void;
}

async function* recordsOf(
  read: Read,
  ahead: Ahead | null,
  turns: readonly EntryProof[],
  head_seq: number,
): AsyncGenerator<ChainRecord> {
  for (const { seq, index, path, entry } of turns) yield { type: "proof", seq, index, path, entry };
  const entries = ahead && entriesOf(ahead.read);
  try {
    for await (const seal of sealsOf(read, head_seq)) {
      for (let id = seal.from_id; entries !== null && id <= seal.to_id; id++) {
        const { value } = await entries.next();
        if (value === undefined) break; // The walk reports how many are missing.
        yield value;
      }
      yield { ...seal, type: "seal" };
    }
  } finally {
    ahead?.end();
  }
}

/** Seals up to `head_seq`, or to a page that leads nowhere: the walk then misses the head. */
async function* sealsOf(read: Read, head_seq: number): AsyncGenerator<Seal> {
  for (let after_seq = 0; after_seq < head_seq; ) {
    const { seals } = await sealsAfter(read, after_seq, PAGE);
    const next = seals.at(-1)?.seq ?? 0;
    yield* seals.filter(({ seq }) => seq <= head_seq);
    if (next <= after_seq) return;
    after_seq = next;
  }
}

interface SealsPage {
  readonly seals: readonly Seal[];
  readonly head: SourceHead | null;
}

const isSealsPage = (value: unknown): value is SealsPage =>
  isOpen(value) && isListOf(value["seals"], isSeal) && isHead(value["head"]);

const sealsAfter = (read: Read, after_seq: number, limit: number): Promise<SealsPage> =>
  read("/seal", { after_seq, limit }, isSealsPage);

type Entry = Omit<EntryRecord, "type">;

const isEntriesPage = (value: unknown): value is { readonly entries: readonly Entry[] } =>
  isOpen(value) && isListOf(value["entries"], isEntry);

/** A page that was asked for, and the id behind which it begins. */
interface Asked {
  readonly after_id: number;
  readonly entries: Promise<readonly Entry[]>;
}

/** Ids have no gaps, so the next pages are asked for before this one is there. */
async function* entriesOf(read: Read): AsyncGenerator<EntryRecord, undefined> {
  let asked: Asked[] = [];
  const askAfter = (after_id: number): Asked => {
    const page = read("/since", { after_id, limit: PAGE, with: "entry" }, isEntriesPage);
    const entries = page.then((answer) => answer.entries);
    entries.catch(() => {}); // A fault is reported in its turn.
    return { after_id, entries };
  };
  let size = 0; // Of the last page: a service may give less than was asked for.
  for (let after_id = 0; ; ) {
    if (asked[0]?.after_id !== after_id) asked = [askAfter(after_id)];
    // The first page alone: a short ledger is asked for once.
    while (size > 0 && asked.length <= AHEAD) {
      asked.push(askAfter((asked.at(-1)?.after_id ?? after_id) + size));
    }
    const entries = (await asked.shift()?.entries) ?? [];
    for (const { id, kind, ref, at, body, text, entry, leaf } of entries) {
      yield { type: "entry", id, kind, ref, at, body, text, entry, leaf };
    }
    const next = entries.at(-1)?.id ?? 0;
    size = next - after_id;
    if (next <= after_id) return undefined;
    after_id = next;
  }
}

/** Proofs of genesis, of every rotation, and of every restore that the origin line counts. */
async function turnProofs(read: Read, origin: string): Promise<EntryProof[]> {
  const epoch = Math.min(Number(/#(\d{1,6})$/.exec(origin)?.[1] ?? 1), TURNS_MAX);
  const found = [await proofOf(read, "genesis", "1")];
  for (let n = 2; n <= epoch; n++) found.push(await proofOf(read, "ledger_restored", String(n)));
  for (let n = 1; n <= TURNS_MAX; n++) {
    const rotation = await proofOf(read, "key_rotation", String(n));
    if (rotation === null) break;
    found.push(rotation);
  }
  return found.filter((proof) => proof !== null);
}

async function proofOf(read: Read, kind: string, id: string): Promise<EntryProof | null> {
  try {
    return await read("/seal/proof", { kind, id }, isProof);
  } catch (error) {
    const { cause } = error instanceof Stop ? error : {};
    const code = cause instanceof Refused ? cause.code : "";
    if (code === "entry_not_found" || code === "not_sealed_yet") return null;
    throw error;
  }
}
