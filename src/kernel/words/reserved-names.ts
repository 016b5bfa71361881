import type * as z from "zod";
import { editsBetween } from "../nearest.ts";

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
      ...["reward", "bounty", "budget", "price", "price_usd", "payment", "pay", "prize", "fee"],
      ...["cost", "tip", "amount", "amount_usd", "usd", "coins", "currency", "reward_amount"],
      ...["bounty_amount", "payout", "escrow", "max_price", "max_budget"],
    ],
    without: "it takes no amount",
  },
  time: {
    fields: ["closes_at", "resolve_by", "sla_hours"],
    names: [
      ...["deadline", "deadline_at", "due", "due_at", "due_by", "due_date", "expires"],
      ...["expires_at", "expires_in", "expiry", "expiration", "valid_until", "until", "ttl"],
      ...["closes", "closes_at", "closes_in", "ends_at", "ends_in", "resolve_by", "resolves_at"],
      ...["sla_hours", "delivery_hours", "delivery_time", "time_limit", "not_before", "send_at"],
      ...["publish_at", "schedule", "scheduled_at", "schedule_at", "delay"],
    ],
    without: "it takes no time",
  },
  recipient: {
    fields: ["to"],
    names: [
      ...["to", "recipient", "recipients", "recipient_id", "receiver", "payee", "beneficiary"],
      ...["assignee", "assigned_to", "to_agent", "to_agent_id", "cc", "bcc", "audience"],
    ],
    without: "it takes no recipient",
  },
  privacy: {
    fields: [],
    names: [
      ...["private", "is_private", "visibility", "secret", "confidential", "unlisted"],
      ...["anonymous", "encrypt", "encrypted", "restricted", "members_only"],
    ],
    without: "nothing here is private by a field",
  },
  trial: {
    fields: ["dry_run"],
    names: [
      ...["dry_run", "dryrun", "simulate", "simulation", "preview", "validate_only", "check_only"],
      ...["test_mode", "what_if", "draft"],
    ],
    without: "it cannot be tried",
  },
  retry: {
    fields: ["client_ref"],
    names: ["client_ref", "idempotency_key", "idempotence_key", "dedupe_key", "dedup_key"],
    without: "it takes no mark",
  },
} as const satisfies Readonly<Record<string, Subject>>;

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

/** Shorter names are near to too many others. */
const NEAR_LENGTH_MIN = 5;
/** So many letters of a name may be wrong: one of a short one. */
const wrongLettersMax = (name: string): number => (name.length < 8 ? 1 : 2);

/** The same for a name that misspells a reserved one, or the field that takes it; else undefined. */
export function saidOfMisspelled(operation: Reserving, name: string): string | undefined {
  const reserved = reservedIn(operation);
  if (name.length < NEAR_LENGTH_MIN || reserved.size === 0) return undefined;
  const wrong_max = wrongLettersMax(name);
  const isNear = (other: string) =>
    other.length >= NEAR_LENGTH_MIN &&
    Math.abs(other.length - name.length) <= wrong_max &&
    editsBetween(name, other) <= wrong_max;
  for (const [other, said] of reserved) if (isNear(other)) return said;
  const field = FIELDS.find((each) => Object.hasOwn(operation.input.shape, each) && isNear(each));
  return field === undefined ? undefined : `is no field here; ${inPlace(field)}`;
}

/** Whether a value says nothing: a form that was left empty. */
export const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === false ||
  value === 0 ||
  (typeof value === "string" && EMPTY_TEXTS.has(value.trim().toLowerCase())) ||
  (typeof value === "object" && Object.keys(value).length === 0);

const EMPTY_TEXTS: ReadonlySet<string> = new Set(["", "0", "false", "null", "none"]);
