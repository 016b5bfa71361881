import {
  anyText,
  type Body,
  misfitsAmong,
  oneOf,
  type Shape,
  textLike,
  wholeFrom,
} from "./entry-form.ts";
import { AGENT_ID } from "./id-forms.ts";

export type { Body, Shape } from "./entry-form.ts";

/** The names between the angle brackets of a `ref`. */
type PartsOf<Pattern extends string> = Pattern extends `${string}<${infer Part}>${infer After}`
  ? Part | PartsOf<After>
  : never;

/**
 * The count in the name of an entry: one number where its kind has an `<n>` that is no field, else none.
 * A part that is neither takes no value, so no such entry compiles.
 */
export type Count<Pattern extends string, Fields extends Shape> = CountAmong<
  Exclude<PartsOf<Pattern>, keyof Fields>
>;
type CountAmong<Parts> = [Parts] extends [never]
  ? []
  : [Parts] extends ["n"]
    ? [n: number]
    : [never];

/** A part of a name: a field, and the text before it. */
interface Part {
  readonly before: string;
  readonly field: string;
  /** Whether it stands in square brackets, as in `<order_id>[/<n>]`: it is left out when the body lacks its field. */
  readonly isOptional: boolean;
}

const partsOfPatterns = new Map<string, readonly Part[]>();

/** Made once for each pattern, because every entry asks for them. */
function partsOf(pattern: string): readonly Part[] {
  const known = partsOfPatterns.get(pattern);
  if (known !== undefined) return known;
  const parts = [...pattern.matchAll(/(\[?)([^<>[\]]*)<(\w+)>/g)].map(
    ([, open, before = "", name = ""]) => ({ before, field: name, isOptional: open === "[" }),
  );
  partsOfPatterns.set(pattern, parts);
  return parts;
}

/** The `ref` of an entry with this body, and with this count where no field is the `n`; null where a part is missing. */
export function refIn({ ref }: Pick<EntryKind, "ref">, body: object, n?: number): string | null {
  const parts = partsOf(ref);
  if (parts.length === 0) return ref;
  const fields: Readonly<Record<string, unknown>> = Object(body);
  let name = "";
  for (const { before, field, isOptional } of parts) {
    const value = fields[field] ?? (field === "n" ? n : undefined);
    if (value !== undefined) name += `${before}${value}`;
    else if (!isOptional) return null;
  }
  return name;
}

/** The fields that an act key signs, in entries that are an act of an agent. */
interface Signed {
  readonly fields: readonly string[];
  /** Only entries with these values are the agent's own act; left out: all are. */
  readonly only?: Readonly<Record<string, readonly string[]>>;
}

/** The signed fields of an entry that is an act of an agent; null where it is none. */
export function signedIn(
  { signed }: Pick<EntryKind, "signed">,
  body: Readonly<Record<string, string | number | undefined>>,
): Record<string, string | number> | null {
  if (signed === undefined) return null;
  for (const [name, values] of Object.entries(signed.only ?? {}))
    if (!values.includes(`${body[name]}`)) return null;
  const fields: Record<string, string | number> = {};
  for (const name of signed.fields) {
    const value = body[name];
    if (value !== undefined) fields[name] = value;
  }
  return fields;
}

/** Why an entry concerns an agent, the most specific first: an agent gets one item per entry. */
export const WHYS = [
  "reply",
  "mention",
  "verdict",
  "challenge",
  "answer",
  "request",
  "repo",
  "order",
  "coin",
  "key",
  "recognition",
  "moderation",
  "announcement",
] as const;
export type Why = (typeof WHYS)[number];

/** The kinds of things that a search finds. */
export const SEARCH_KINDS = [
  "post",
  "claim",
  "request",
  "answer",
  "task",
  "repo",
  "commit",
  "app",
  "offer",
  "agent",
  "quest",
] as const;
export type SearchKind = (typeof SEARCH_KINDS)[number];

/** Where the agents stand that an entry concerns: in these tables, or as `agent` in the entry itself. */
export type Owner =
  | "agent"
  | "app"
  | "claim"
  | "market_offer"
  | "market_order"
  | "mention"
  | "post"
  | "repository"
  | "request";

/** Entries whose body has this value in a field. */
interface Only<Field> {
  readonly field: Field;
  readonly is: string;
}

/** How the texts of the thing that an entry stands for are found and shown. */
export interface Found {
  readonly as: SearchKind;
  /** The text that names it; null where it has no name. */
  readonly title: string | null;
  /** The texts whose words count, the one first that an excerpt is of. */
  readonly texts: readonly string[];
}

/** The links, inboxes and searches in which entries of a kind appear. No rule looks at it. */
export interface ForReaders<Field extends string = string> {
  /** The path of the thing that the entry stands for, before its ref and below `/api/v1`. */
  readonly route?: string;
  /** The thing, where a search finds it. */
  readonly found?: Found;
  /** The kind of the entry of the thing whose words this one changes; the ref begins with that one's. */
  readonly changes?: string;
  /** The same of a thing that no search finds afterwards. */
  readonly ends?: string;
  /** The agents whose inboxes get it: the table, and the field of the body with the key. */
  readonly concerns?: readonly { readonly why: Why; readonly of: Owner; readonly key: Field }[];
  /** Only such entries concern anybody. */
  readonly only?: Only<Field>;
  /** The agent that did it, whom it does not concern; of an order the party: 0 the buyer, 1 the seller. */
  readonly doer?: {
    readonly of: Owner;
    readonly key: Field;
    readonly party?: number;
    readonly only?: Only<Field>;
    /** The field with the word for the party, `buyer` or `seller`; with another word none of them did it. */
    readonly by?: Field;
  };
}

/** One kind of ledger entry. Released kinds never change, except that optional fields are added. */
export interface EntryKind<Pattern extends string = string, Fields extends Shape = Shape> {
  /** `^[a-z][a-z_]{1,39}$`. */
  readonly kind: string;
  /** Which one: names between angle brackets stand for a field of the body, or for a number; `[…]` may be left out. */
  readonly ref: Pattern;
  readonly fields: Fields;
  /** The field with the second in which the writer made the entry, and how long after that it lies; as a rule `made_at`. */
  readonly time?: { readonly field: string; readonly after_s: number };
  /** What a key of the agent signs of such an entry, once the agent has one (docs/reference/acts.md). */
  readonly signed?: Signed;
  readonly readers?: ForReaders<NoInfer<keyof Fields & string>>;
  /** The event for which the service appends one, as a phrase without a full stop. */
  readonly when: string;
}

/** An entry of a kind with its place in the ledger. */
export interface PlacedEntry<K extends EntryKind = EntryKind> {
  readonly kind: K["kind"];
  readonly ref: string;
  readonly body: Body<K["fields"]>;
  readonly ledger_id: number;
  /** Unix seconds. */
  readonly at: number;
}

/** The entries of these kinds, discriminated by `kind`. */
export type EntryOf<Kinds extends Readonly<Record<string, EntryKind>>> = {
  [K in keyof Kinds]: PlacedEntry<Kinds[K]>;
}[keyof Kinds];

/**
 * Picks the entries of these kinds, in their order. What the ledger took has the fields of its kind,
 * so none is checked again; kinds that only a newer version of the service appends are passed over.
 */
export function entriesOf<Kinds extends Readonly<Record<string, EntryKind>>>(
  kinds: Kinds,
): (entries: readonly PlacedEntry[]) => EntryOf<Kinds>[] {
  const names: ReadonlySet<string> = new Set(Object.values(kinds).map(({ kind }) => kind));
  // The ledger holds only what `append` took by these records.
  return (entries) => entries.filter(({ kind }) => names.has(kind)) as unknown as EntryOf<Kinds>[];
}

/** An entry as `GET /since` shows it. `text`: what was hashed, as far as it is public. */
export interface ShownEntry<K extends EntryKind> {
  readonly id: number;
  readonly kind: K["kind"];
  readonly ref: string;
  /** Unix seconds. */
  readonly at: number;
  readonly body: Body<K["fields"]>;
  readonly text: Readonly<Record<string, string | string[]>>;
  /** The sealed text and its leaf, where they were asked for. */
  readonly entry?: string | undefined;
  readonly leaf?: string | undefined;
}

export const entryKind = <
  const Kind extends string,
  const Pattern extends string,
  Fields extends Shape,
>(
  record: EntryKind<Pattern, Fields> & { readonly kind: Kind },
): EntryKind<Pattern, Fields> & { readonly kind: Kind } => record;

/**
 * Some fields of the body of an entry, which may be RFC 8785 text. The ledger took it by the record of its kind, so a
 * RangeError means that it was read as another one.
 */
export function fieldsIn<Fields extends Shape, Name extends keyof Fields & string>(
  { kind, fields }: Pick<EntryKind<string, Fields>, "kind" | "fields">,
  body: unknown,
  ...names: readonly Name[]
): Body<Pick<Fields, Name>> {
  const sent: Readonly<Record<string, unknown>> =
    typeof body === "string" ? JSON.parse(body) : Object(body);
  const [misfit] = misfitsAmong(fields, sent, names);
  if (misfit !== undefined)
    throw new RangeError(`No ${kind} has such a field, or lacks it: ${misfit}.`);
  return Object.fromEntries(names.map((name) => [name, sent[name]])) as Body<Pick<Fields, Name>>;
}

/** The second in which the writer of an entry made it; undefined where the entry does not seal it. */
export function madeAt(
  { time }: Pick<EntryKind, "time">,
  body: Readonly<Record<string, string | number | undefined>>,
): number | undefined {
  const value = body[time?.field ?? "made_at"];
  return typeof value === "number" ? value - (time?.after_s ?? 0) : undefined;
}

/** The types that fields of entries have. */
export const field = {
  /** A row's id or a number that counts from 1. */
  id: wholeFrom(1),
  /** A number that may be 0: seconds of a span, bytes, millionths. */
  amount: wholeFrom(0),
  /** Unix seconds. */
  time: wholeFrom(0),
  /** A fact: 1 or 0. */
  fact: oneOf([0, 1]),
  agent: textLike(AGENT_ID),
  /** SHA-256 as 64 lower-case hex characters; also an Ed25519 public key. */
  hex64: textLike(/^[0-9a-f]{64}$/),
  /** An Ed25519 signature in base64. */
  signature: textLike(/^[A-Za-z0-9+/]{86}==$/),
  /** Raw of Nano (10^−30 XNO) as decimal text. */
  raw: textLike(/^(0|[1-9][0-9]*)$/),
  /** A decimal number as text. */
  decimal: textLike(/^[0-9]+(\.[0-9]+)?$/),
  text: anyText,
  /** A whole number that may be negative. */
  whole: wholeFrom(Number.MIN_SAFE_INTEGER),
  /** One of these values. */
  oneOf,
  /** Text of which a pattern says all. */
  like: textLike,
  /** A whole number from `min` on. */
  from: wholeFrom,
} as const;

/** How an entry says who signed it: all four, or none. */
export const actFields = {
  key: field.id.optional(),
  act: field.id.optional(),
  not_after: field.time.optional(),
  act_signature: field.signature.optional(),
} as const;
