import type * as z from "zod";
import { editsBetween } from "./nearest.ts";
import { inSnakeCase, NAME_LENGTH_MAX } from "./spelling.ts";

/** The subject of words that a write must not drop: it would pay, end, reach or publish otherwise than was meant. */
interface Subject {
  /** The field that takes it, the first that an operation has. */
  readonly fields: readonly string[];
  /** Names that callers of other services send. */
  readonly names: readonly string[];
  /** The answer where the operation has none of the fields. */
  readonly without: string;
  /** The fields of the operations where its names are reserved; all writes without it. */
  readonly needs?: readonly string[];
}

/** The reserved names by their subject, published in OpenAPI and in `/contract`. */
export const RESERVED_NAMES = {
  money: {
    fields: ["reward", "amount", "price_usd", "target_usd", "valuation_usd"],
    names: [
      "amount",
      "amount_usd",
      "amount_xno",
      "bet",
      "bid",
      "bond",
      "bounties",
      "bounty",
      "bounty_amount",
      "budget",
      "coins",
      "collateral",
      "compensation",
      "cost",
      "credits",
      "currency",
      "deposit",
      "discount",
      "escrow",
      "fee",
      "max_amount",
      "max_budget",
      "max_cost",
      "max_price",
      "max_price_usd",
      "max_reward",
      "max_usd",
      "nano",
      "pay",
      "pay_with",
      "payment",
      "payment_method",
      "payout",
      "price",
      "price_usd",
      "price_xno",
      "prize",
      "quantity",
      "refundable",
      "reward",
      "reward_amount",
      "reward_coins",
      "reward_usd",
      "reward_xno",
      "rewards",
      "salary",
      "stake",
      "tip",
      "unit_price",
      "usd",
      "wager",
      "xno",
    ],
    without: "it takes no amount",
  },
  time: {
    fields: ["closes_at", "resolve_by", "sla_hours"],
    names: [
      "at",
      "closes",
      "closes_at",
      "closes_in",
      "closing_at",
      "complete_by",
      "deadline",
      "deadline_at",
      "delay",
      "delete_after",
      "deliver_by",
      "delivery_days",
      "delivery_hours",
      "delivery_time",
      "due",
      "due_at",
      "due_by",
      "due_date",
      "due_time",
      "duration",
      "embargo_until",
      "end",
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
      "lead_time",
      "needed_by",
      "not_after",
      "not_before",
      "publish_at",
      "resolution_date",
      "resolve_at",
      "resolve_by",
      "resolve_date",
      "resolves_at",
      "schedule",
      "schedule_at",
      "scheduled_at",
      "send_after",
      "send_at",
      "sla",
      "sla_days",
      "sla_hours",
      "time_limit",
      "timeout",
      "ttl",
      "turnaround",
      "until",
      "valid_until",
      "within_hours",
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
      "only_for",
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
      "internal",
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
      "mock",
      "noop",
      "preview",
      "preview_only",
      "sandbox",
      "simulate",
      "simulated",
      "simulation",
      "test",
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
  payer: {
    fields: [],
    names: ["from", "from_agent", "on_behalf_of", "payer", "sender"],
    without: "the token says who pays",
    needs: ["to", "amount"],
  },
  post: {
    fields: [],
    names: ["edit_of", "edits", "post_id", "replaces", "reply_to_id", "thread_id"],
    without: "`reply_to` answers a post, and `supersedes` replaces one of yours",
    needs: ["reply_to", "supersedes"],
  },
  kind: {
    fields: ["kind"],
    names: ["type"],
    without: "it takes no kind",
    needs: ["kind"],
  },
  token: {
    fields: [],
    names: ["access_token", "api_key", "token"],
    without: "it goes into the header field Authorization alone",
    needs: ["client_ref"],
  },
} as const satisfies Readonly<Record<string, Subject>>;

/** Names of a trial, a mark and a time, which other protocols may have in a place of their own. */
export const TRIED_OR_MARKED: ReadonlySet<string> = new Set([
  "not_after",
  ...RESERVED_NAMES.trial.names,
  ...RESERVED_NAMES.retry.names,
]);

/** Names that ask by a no for what another one asks for by a yes. */
const NEGATED: ReadonlyMap<string, string> = new Map([
  ["public", "private"],
  ["confirm", "trial"],
  ["confirmed", "trial"],
  ["execute", "trial"],
  ["live", "trial"],
  ["publish", "trial"],
]);

/** Names under which a value says what another name asks for: `status: "draft"`. */
const OF_STATES: ReadonlySet<string> = new Set(["access", "mode", "scope", "state", "status"]);

/** Whether a value is a no. */
const isClosed = (value: unknown): boolean =>
  value === false ||
  value === 0 ||
  (typeof value === "string" && /^(?:false|no|off|0)$/i.test(value));

/** The names of each subject. */
export const reservedNames = (): Record<string, string[]> =>
  Object.fromEntries(
    Object.entries(RESERVED_NAMES).map(([subject, { names }]) => [subject, [...names]]),
  );

/** The field of a write that takes each of its subjects; null where it has none. */
export const fieldsOfSubjects = ({ input: { shape } }: Reserving): Record<string, string | null> =>
  Object.fromEntries(
    Object.entries<Subject>(RESERVED_NAMES)
      .filter(([, subject]) => concerns(subject, shape))
      .map(([subject, { fields }]) => [
        subject,
        fields.find((field) => Object.hasOwn(shape, field)) ?? null,
      ]),
  );

/** Whether the names of a subject are reserved in a write of this shape. */
const concerns = ({ needs = [] }: Subject, shape: object): boolean =>
  needs.every((each) => Object.hasOwn(shape, each));

/** The field that takes what a reserved name stands for; undefined where there is none. */
export function fieldOfReserved({ input: { shape } }: Reserving, sent: string): string | undefined {
  const name = plainName(sent);
  return SUBJECTS.find((each) => each.names.includes(name))?.fields.find((field) =>
    Object.hasOwn(shape, field),
  );
}

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

const namesOf = (subject: Subject, shape: object) => {
  if (!concerns(subject, shape)) return [];
  const { fields, names, without } = subject;
  const field = fields.find((each) => Object.hasOwn(shape, each));
  return names.flatMap((name) => {
    if (Object.hasOwn(shape, name)) return [];
    const said = field === undefined ? without : (inOtherUnit(name, field) ?? inPlace(field));
    return [[name, `is no field here; ${said}`] as const];
  });
};

/** The unit of a field, and the words for it at the end of a name. */
const UNITS: Readonly<Record<string, readonly [unit: string, ending: RegExp]>> = {
  reward: ["coins", /(?:^|_)coins?$/],
  price_usd: ["dollars", /(?:^|_)usd$/],
  target_usd: ["dollars", /(?:^|_)usd$/],
  valuation_usd: ["dollars", /(?:^|_)usd$/],
};
const IN_A_UNIT = /(?:^|_)(?:usd|xno|nano|coins?)$/;

/** A number is not to be sent on in another unit than it was meant in. */
export function inOtherUnit(name: string, field: string): string | undefined {
  const [unit, ending] = UNITS[field] ?? [];
  return unit === undefined || !IN_A_UNIT.test(name) || ending?.test(name) === true
    ? undefined
    : `\`${field}\` takes ${unit}`;
}

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
  const other = otherName(name, value);
  if (other !== undefined) return saidOfOther(reserved, other);
  if (isEmpty(value) || reserved.size === 0) return undefined;
  // Of a field that stands there in another spelling, too, one would be dropped.
  const isTwice = RETRIES.has(name) && Object.hasOwn(shape, name);
  return isTwice ? `stands beside \`${name}\`; send one of them` : reserved.get(name);
}

/** The reserved name that a value of this one asks for. */
function otherName(name: string, value: unknown): string | undefined {
  if (isClosed(value)) return NEGATED.get(name);
  if (!OF_STATES.has(name) || typeof value !== "string") return undefined;
  const said = plainName(value.slice(0, NAME_LENGTH_MAX));
  return WORDS_OF_STATES.has(said) ? said : undefined;
}

/** A value that stands for a yes is not to be sent on as it is. */
const saidOfOther = (reserved: Said, other: string): string | undefined =>
  TRIALS.has(other) && reserved.get(other) === `is no field here; ${inPlace("dry_run")}`
    ? "is no field here; a trial is `dry_run`: true"
    : reserved.get(other);

const TRIALS: ReadonlySet<string> = new Set(RESERVED_NAMES.trial.names);
const WORDS_OF_STATES: ReadonlySet<string> = new Set([
  ...RESERVED_NAMES.trial.names,
  ...RESERVED_NAMES.privacy.names,
]);

const RETRIES: ReadonlySet<string> = new Set(["dry_run", "client_ref", "not_after"]);

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
    !EXACT.has(other) &&
    other.at(0) === name.at(0) &&
    other.at(-1) === name.at(-1) &&
    Math.abs(other.length - name.length) <= 1 &&
    editsBetween(name, other) === 1;
  for (const [other, said] of reserved) if (isNear(other)) return said;
  const field = FIELDS.find((each) => Object.hasOwn(operation.input.shape, each) && isNear(each));
  return field === undefined ? undefined : `is no field here; ${inPlace(field)}`;
}

/** Reserved names that are one letter from too many others: state, stage, water. */
const EXACT: ReadonlySet<string> = new Set(["edits", "payer", "stake", "token", "wager"]);

/** Words of their own, one letter from a reserved one. */
const ORDINARY: ReadonlySet<string> = new Set([
  "clones",
  "coils",
  "corns",
  "drift",
  "interval",
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
