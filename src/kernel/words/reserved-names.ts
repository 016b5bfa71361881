import type * as z from "zod";
import { editsBetween } from "./nearest.ts";
import { inSnakeCase } from "./spelling.ts";

/** The subject of words that a write must not drop: it would pay, end, reach or publish otherwise than was meant. */
interface Subject {
  /** The field that takes it, the first that an operation has. */
  readonly fields: readonly string[];
  /** Names that callers of other services send. */
  readonly names: readonly string[];
  /** The answer where the operation has none of the fields. */
  readonly without: string;
}

/** The reserved names by their subject, published in OpenAPI and in `/contract`. */
export const RESERVED_NAMES = {
  money: {
    fields: ["reward", "amount", "price_usd", "target_usd", "valuation_usd"],
    names: [
      "amount",
      "amount_usd",
      "bid",
      "bounties",
      "bounty",
      "bounty_amount",
      "budget",
      "coins",
      "cost",
      "credits",
      "currency",
      "escrow",
      "fee",
      "max_budget",
      "max_cost",
      "max_price",
      "pay",
      "payment",
      "payout",
      "price",
      "price_usd",
      "prize",
      "reward",
      "reward_amount",
      "reward_coins",
      "reward_usd",
      "rewards",
      "salary",
      "tip",
      "unit_price",
      "usd",
    ],
    without: "it takes no amount",
  },
  time: {
    fields: ["closes_at", "resolve_by", "sla_hours"],
    names: [
      "closes",
      "closes_at",
      "closes_in",
      "closing_at",
      "complete_by",
      "deadline",
      "deadline_at",
      "delay",
      "deliver_by",
      "delivery_hours",
      "delivery_time",
      "due",
      "due_at",
      "due_by",
      "due_date",
      "due_time",
      "embargo_until",
      "end_date",
      "end_time",
      "ends_at",
      "ends_in",
      "expiration",
      "expiration_date",
      "expires",
      "expires_at",
      "expires_in",
      "expiry",
      "expiry_date",
      "needed_by",
      "not_after",
      "not_before",
      "publish_at",
      "resolve_by",
      "resolves_at",
      "schedule",
      "schedule_at",
      "scheduled_at",
      "send_after",
      "send_at",
      "sla_hours",
      "time_limit",
      "ttl",
      "until",
      "valid_until",
    ],
    without: "it takes no time",
  },
  recipient: {
    fields: ["to"],
    names: [
      "assigned_to",
      "assignee",
      "audience",
      "bcc",
      "beneficiary",
      "cc",
      "payee",
      "receiver",
      "recipient",
      "recipient_id",
      "recipients",
      "send_to",
      "target_agent",
      "to",
      "to_agent",
      "to_agent_id",
      "to_user",
      "visible_to",
    ],
    without: "it takes no recipient",
  },
  privacy: {
    fields: [],
    names: [
      "anonymous",
      "confidential",
      "encrypt",
      "encrypted",
      "members_only",
      "private",
      "private_to",
      "restricted",
      "secret",
      "unlisted",
      "visibility",
    ],
    without: "nothing here is private by a field",
  },
  trial: {
    fields: ["dry_run"],
    names: [
      "check_only",
      "draft",
      "dry",
      "dry_run",
      "dryrun",
      "noop",
      "preview",
      "preview_only",
      "simulate",
      "simulated",
      "simulation",
      "test_mode",
      "trial",
      "validate_only",
      "what_if",
    ],
    without: "it cannot be tried",
  },
  retry: {
    fields: ["client_ref"],
    names: ["client_ref", "dedup_key", "dedupe_key", "idempotence_key", "idempotency_key"],
    without: "it takes no mark",
  },
} as const satisfies Readonly<Record<string, Subject>>;

/** Whether a value asks for privacy under the name `public`. */
const isClosed = (value: unknown): boolean =>
  value === false ||
  value === 0 ||
  (typeof value === "string" && /^(?:false|no|off|0)$/i.test(value));

/** The names of each subject. */
export const reservedNames = (): Record<string, string[]> =>
  Object.fromEntries(
    Object.entries(RESERVED_NAMES).map(([subject, { names }]) => [subject, [...names]]),
  );

/** The field of a write that takes each subject; null where it has none. */
export const fieldsOfSubjects = ({ input: { shape } }: Reserving): Record<string, string | null> =>
  Object.fromEntries(
    Object.entries<Subject>(RESERVED_NAMES).map(([subject, { fields }]) => [
      subject,
      fields.find((field) => Object.hasOwn(shape, field)) ?? null,
    ]),
  );

const SUBJECTS: readonly Subject[] = Object.values(RESERVED_NAMES);
const FIELDS = SUBJECTS.flatMap(({ fields }) => fields);

/** The reserved names, each with the end of a sentence that begins with it. */
type Said = ReadonlyMap<string, string>;

/** An operation, as far as its names go. */
interface Reserving {
  readonly method: "GET" | "POST";
  readonly input: z.ZodObject;
}

const known = new WeakMap<z.ZodObject, Said>();

/** The names that a write refuses, each with what to send in its place. A read has none. */
export function reservedIn({ input, method }: Reserving): Said {
  const said = known.get(input);
  if (said !== undefined) return said;
  const { shape } = input;
  const names = method === "GET" ? [] : SUBJECTS.flatMap((subject) => namesOf(subject, shape));
  const made = new Map(names);
  known.set(input, made);
  return made;
}

const namesOf = ({ fields, names, without }: Subject, shape: object) => {
  const field = fields.find((each) => Object.hasOwn(shape, each));
  const said = field === undefined ? without : inPlace(field);
  return names.flatMap((name) =>
    Object.hasOwn(shape, name) ? [] : [[name, `is no field here; ${said}`] as const],
  );
};

const inPlace = (field: string): string => `send it as \`${field}\``;

/** The words of a name: `X-Dry-Run`, `isDryRun`, `"dry run "` and `dry_run2` are `dry_run`. */
export const plainName = (sent: string): string =>
  inSnakeCase(sent.trim().replaceAll(/\s+/g, "_"))
    .replace(/\d+$/, "")
    .replace(/^(?:x|is)_/, "");

/** The end of a sentence about a name that is no field, by its value; undefined where it may be ignored. */
export function saidOfReserved(
  operation: Reserving,
  sent: string,
  value: unknown,
): string | undefined {
  if (sent.length > NAME_LENGTH_MAX) return undefined;
  const name = plainName(sent);
  const { shape } = operation.input;
  const reserved = reservedIn(operation);
  if (name === "public" && isClosed(value)) return reserved.get("private");
  if (isEmpty(value) || reserved.size === 0) return undefined;
  // Of a field that stands there in another spelling, too, one would be dropped.
  const isTwice = RETRIES.has(name) && Object.hasOwn(shape, name);
  return isTwice ? `stands beside \`${name}\`; send one of them` : reserved.get(name);
}

const RETRIES: ReadonlySet<string> = new Set(["dry_run", "client_ref", "not_after"]);
const NAME_LENGTH_MAX = 64;

/** Shorter names are near to too many others. */
const NEAR_LENGTH_MIN = 5;
/** Forms of a word that say what has happened already. */
const PAST = /ed(?:_at)?$/;

/**
 * The same for a name that misspells a reserved one, or the field that takes it: one letter in between is wrong,
 * missing, too many or swapped. Other words differ in their first or last letter.
 */
export function saidOfMisspelled(operation: Reserving, sent: string): string | undefined {
  const name = plainName(sent);
  const reserved = reservedIn(operation);
  if (name.length < NEAR_LENGTH_MIN || reserved.size === 0) return undefined;
  if (PAST.test(name) || ORDINARY.has(name)) return undefined;
  const isNear = (other: string) =>
    other.length >= NEAR_LENGTH_MIN &&
    other.at(0) === name.at(0) &&
    other.at(-1) === name.at(-1) &&
    Math.abs(other.length - name.length) <= 1 &&
    editsBetween(name, other) === 1;
  for (const [other, said] of reserved) if (isNear(other)) return said;
  const field = FIELDS.find((each) => Object.hasOwn(operation.input.shape, each) && isNear(each));
  return field === undefined ? undefined : `is no field here; ${inPlace(field)}`;
}

/** Words of their own, one letter from a reserved one. */
const ORDINARY: ReadonlySet<string> = new Set([
  "clones",
  "coils",
  "corns",
  "drift",
  "pride",
  "prime",
  "trail",
]);

/** Whether a value says nothing: a form that was left empty. */
export const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === false ||
  value === 0 ||
  (typeof value === "string" && EMPTY_TEXTS.has(value.trim().toLowerCase())) ||
  (typeof value === "object" && Object.keys(value).length === 0);

const EMPTY_TEXTS: ReadonlySet<string> = new Set([
  "",
  "0",
  "0.0",
  "false",
  "no",
  "off",
  "null",
  "none",
  "n/a",
  "public",
]);
