import { ENTRY_BYTES_MAX, type EntryBody } from "../platform/kernel/proof/entry.ts";
import type { EntryProof } from "../platform/kernel/proof/inclusion.ts";
import type { Seal } from "../platform/kernel/proof/seal-text.ts";

/** A key of the operator, as `GET /verify` names it. */
interface OperatorKey {
  readonly public_key: string;
  readonly from_seq: number;
  readonly to_seq: number | null;
  readonly anchored: boolean;
}

/** The newest seal of a source. */
export interface SourceHead {
  readonly seq: number;
  readonly seal_hash: string;
}

/** The first line of a saved chain: what its source said of itself when the reading began. */
export interface ChainHeader {
  readonly type: "cairn-export";
  readonly version: 1;
  readonly origin: string;
  readonly keys: readonly OperatorKey[];
  /** Whether every entry stands before its seal; otherwise only the proofs that the links need. */
  readonly entries: boolean;
  /** Where the chain ended then, so that a copy that was cut shows. */
  readonly head: SourceHead | null;
}

/** An entry as `GET /since?with=entry` shows it. */
export interface EntryRecord {
  readonly type: "entry";
  readonly id: number;
  readonly kind: string;
  readonly ref: string;
  readonly at: number;
  readonly body: EntryBody;
  /** The public texts whose hashes the body holds. */
  readonly text: Readonly<Record<string, string | string[]>>;
  readonly entry: string;
  readonly leaf: string;
}

type ProofRecord = EntryProof & { readonly type: "proof" };
type SealRecord = Seal & { readonly type: "seal" };

/** Every later line. What a seal needs stands before it, so a chain is verified as it is read. */
export type ChainRecord = ProofRecord | EntryRecord | SealRecord;

/** A chain to verify, read as it is asked for. */
export interface ChainSource {
  readonly header: ChainHeader;
  readonly records: AsyncIterable<ChainRecord>;
  /** After so many faults nothing more is read; without it all of them are counted. */
  readonly faultsMax?: number;
}

type Open = Readonly<Record<string, unknown>>;

/** Whether a value is an object with names. */
export const isOpen = (value: unknown): value is Open =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isInt = (value: unknown): value is number => Number.isSafeInteger(value);
const isText = (value: unknown): value is string => typeof value === "string";
/** Hashes, keys, signatures and origins are far shorter. */
const LINE_MAX = 1_024;
const isLine = (value: unknown): value is string => isText(value) && value.length <= LINE_MAX;
/** No entry has more, so nothing longer is kept. */
const isSealedText = (value: unknown): value is string =>
  isText(value) && value.length <= ENTRY_BYTES_MAX;
/** Of a path in the tree below a seal, or below a block of it. */
const STEPS_MAX = 64;
const KEYS_MAX = 10_000;
const orNull = (is: (value: unknown) => boolean, value: unknown): boolean =>
  value === null || is(value);

/** A list in which each item has a shape. */
export const isListOf = <Item>(
  value: unknown,
  is: (item: unknown) => item is Item,
  max = Number.POSITIVE_INFINITY,
): value is Item[] => Array.isArray(value) && value.length <= max && value.every(is);

/** Whether every member has a shape. `__proto__` is no member: zod leaves it out, too. */
function eachIn(value: unknown, is: (member: unknown) => boolean): boolean {
  if (!isOpen(value)) return false;
  for (const name in value) if (name !== "__proto__" && !is(value[name])) return false;
  return true;
}

const isPart = (value: unknown): boolean => isText(value) || isInt(value);
const isShown = (value: unknown): boolean => isText(value) || isListOf(value, isText);

/** What an entry has beside its type. */
export const isEntry = (value: unknown): value is Omit<EntryRecord, "type"> =>
  isOpen(value) &&
  isInt(value["id"]) &&
  isText(value["kind"]) &&
  isText(value["ref"]) &&
  isInt(value["at"]) &&
  isSealedText(value["entry"]) &&
  isLine(value["leaf"]) &&
  eachIn(value["body"], isPart) &&
  eachIn(value["text"], isShown);

const SEAL_NUMBERS = ["seq", "at", "count", "from_id", "to_id"];
const SEAL_TEXTS = ["root", "origin", "log_root", "seal_hash"];
const SEAL_TEXTS_IF_ANY = ["prev_root", "prev_seal", "signature", "pubkey"];

/** A seal as `GET /seal` shows it. */
export const isSeal = (value: unknown): value is Seal =>
  isOpen(value) &&
  SEAL_NUMBERS.every((name) => isInt(value[name])) &&
  SEAL_TEXTS.every((name) => isLine(value[name])) &&
  SEAL_TEXTS_IF_ANY.every((name) => orNull(isLine, value[name])) &&
  orNull(isInt, value["signed_at"]) &&
  typeof value["signed"] === "boolean" &&
  value["algo"] === "ed25519";

const isStep = (value: unknown): value is EntryProof["path"][number] =>
  isOpen(value) && (value["side"] === "left" || value["side"] === "right") && isLine(value["hash"]);

/** As much of an answer of `GET /seal/proof` as is believed. */
export const isProof = (value: unknown): value is EntryProof =>
  isOpen(value) &&
  isInt(value["seq"]) &&
  isInt(value["index"]) &&
  isListOf(value["path"], isStep, STEPS_MAX) &&
  isSealedText(value["entry"]);

const isKey = (value: unknown): value is OperatorKey =>
  isOpen(value) &&
  isLine(value["public_key"]) &&
  isInt(value["from_seq"]) &&
  orNull(isInt, value["to_seq"]) &&
  typeof value["anchored"] === "boolean";

/** As much of an answer of `GET /verify` as is used. */
export const isOperator = (value: unknown): value is Pick<ChainHeader, "origin" | "keys"> =>
  isOpen(value) && isLine(value["origin"]) && isListOf(value["keys"], isKey, KEYS_MAX);

/** The newest seal, or none. */
export const isHead = (value: unknown): value is SourceHead | null =>
  value === null || (isOpen(value) && isInt(value["seq"]) && isLine(value["seal_hash"]));

/** The first line of a saved chain or of an export. */
export const isHeader = (value: unknown): value is ChainHeader =>
  isOpen(value) &&
  value["type"] === "cairn-export" &&
  value["version"] === 1 &&
  typeof value["entries"] === "boolean" &&
  isHead(value["head"]) &&
  isOperator(value);

/** A later line of a saved chain. */
export function isRecord(value: unknown): value is ChainRecord {
  if (!isOpen(value)) return false;
  const { type } = value;
  if (type === "entry") return isEntry(value);
  return type === "seal" ? isSeal(value) : type === "proof" && isProof(value);
}
