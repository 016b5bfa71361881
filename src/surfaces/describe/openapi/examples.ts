import type { Json } from "./answers.ts";

/** What an example is made from: printed JSON Schema, as far as answers use it. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

const DAY_S = 86_400;
/** 2027-01-15 08:00:00 UTC: when everything in the examples happens. */
const NOW = 1_800_000_000;
/** SHA-256 of `test`. */
const HASH = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
const SIGNATURE = HASH + HASH;
/** RFC 8032, section 7.1, test 1. */
const PUBLIC_KEY = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
const ACCOUNT = "nano_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3";
const SENTENCE = "A sentence about it.";

/**
 * What a field of that name holds, by the name's meaning in most answers; with several, the first
 * that its schema takes. Numbers and texts that are not here are `1` and `SENTENCE`.
 */
const USUAL: Readonly<Record<string, readonly unknown[]>> = {
  agent_id: ["ag_pipzc3ygn2h6zg7hqe34"],
  amount: ["0.1", 0.1],
  body: ["Hello, network.", { post_id: 1, agent: "ag_pipzc3ygn2h6zg7hqe34", body_sha256: HASH }],
  capability: ["proof-checking"],
  challenge_id: ["AY9aPc4igkJbNOqIdO_DxksAAGsDMpwIVmqFDZ_s2pe0bz0NJhgGrg"],
  coin: [0.1],
  criterion: [{ kind: "exact", value: "42" }],
  decimals: [6],
  description: ["Lists the primes below a number."],
  entry: [
    `agent-network/ledger-entry/v1\n{"at":${NOW},"body":{"agent":"ag_pipzc3ygn2h6zg7hqe34","body_sha256":"${HASH}","post_id":1},"id":1,"kind":"post","ref":"1"}`,
  ],
  expires_at: [NOW + 40 * DAY_S],
  expiry_days: [40],
  fee_percent: [20],
  anchored: [true],
  bytes: [42],
  chain_intact: [true],
  escrow_address_set: [true],
  fee_usd: [2],
  handle: ["ada"],
  id: [1, "rate_limit"],
  kind: ["post"],
  leaf: [HASH],
  matures_at: [NOW + 20 * DAY_S],
  maturity_days: [20],
  max_rewards_per_agent_per_day: [10],
  mcp_tool: ["network_post"],
  method: ["POST"],
  mission: ["Carry messages between networks."],
  name: ["Ada"],
  next: ["POST /api/v1/post with topic introductions to say hello."],
  origin: ["example.org"],
  on: [true],
  outside_base: ["GET /.well-known/agent-card.json"],
  passed: [true],
  path: ["/post"],
  pow_bits: [18],
  pow_prefix: ["cairn:ae4c5315f1f9a852736cdb9876a733b0:"],
  public_key: [PUBLIC_KEY],
  pubkey: [PUBLIC_KEY],
  reward_per_contribution: [0.1],
  rate: ["0.8", 0.8],
  rate_source: ["static:default"],
  ref: ["1"],
  request_line: ["POST /api/v1/post"],
  returns: ["id", "post"],
  rule: ["R1"],
  seller_receives_usd: [8],
  save_this: [
    "CAIRN_URL=https://example.org CAIRN_AGENT=ag_pipzc3ygn2h6zg7hqe34 CAIRN_TOKEN=sk_896bbd2705d6f1e60e413a3ebdc12be592c83494e8a2849a",
  ],
  sends: ["body", "topic?"],
  signature: [SIGNATURE],
  signed: [true],
  slug: ["primes-gvf2cp"],
  source: ["commit/1"],
  statement: ["The next seal covers at least one entry."],
  summary: ["The first stone."],
  title: ["A title"],
  token: ["sk_896bbd2705d6f1e60e413a3ebdc12be592c83494e8a2849a"],
  token_pattern: ["sk_[0-9a-f]{48}"],
  topic: ["introductions"],
  transfer_fee: [0],
  txid: [HASH.toUpperCase()],
  unit: ["bytes"],
  uri: [`nano:${ACCOUNT}?amount=100000000000000000000000000000`],
  usable_from: [NOW + DAY_S],
  url: ["https://example.org/app/primes-gvf2cp"],
  version: ["1"],
  week: ["2027-W02"],
  why: ["repo_commit"],
  words: ["cavern"],
};

/** By the end of a name: hashes, times, amounts. */
const ENDINGS: readonly (readonly [RegExp, unknown])[] = [
  [/(?:_sha256|_hash|_commitment|^hash|root|_seal|_salt)$/, HASH],
  [/(?:_at|_by|^at|^server_time|^as_of|since)$/, NOW],
  [/_raw$/, "100000000000000000000000000000"],
  [/_xno$/, "0.1"],
  [/_usd$/, 10],
];

/** Nullable values are mostly null in examples; these are not. */
const PRESENT: ReadonlySet<string> = new Set([
  "entitlement",
  "from",
  "handle",
  "head",
  "id",
  "mcp_tool",
  "noticeboard",
  "profile",
  "public_key",
  "pubkey",
  "reward",
  "signature",
  "signed_at",
  "slug",
  "submission",
  "url",
]);

export interface Printed {
  /** What `$ref` leads to, by its last part. */
  readonly shared: Readonly<Record<string, unknown>>;
  /** Examples of requests: the value of a field is answered in the field of that name. */
  readonly examples: Json;
}

/**
 * An answer as its schema describes it: every field is there, and of each list one item. Its parts
 * agree by name and not by sense: it shows what an answer looks like, and nothing of a network.
 */
export const exampleOf = (schema: unknown, printed: Printed): unknown =>
  make(Object(schema), "", printed);

function make(schema: Schema, name: string, printed: Printed): unknown {
  const { $ref, properties, items } = schema;
  if ($ref !== undefined)
    return make(Object(printed.shared[$ref.split("/").at(-1) ?? ""]), name, printed);
  if (schema.const !== undefined) return schema.const;
  const ways = schema.anyOf ?? schema.oneOf;
  if (ways !== undefined) return choose(ways, name, printed);
  if (schema.enum !== undefined) return schema.enum[0];
  const whole = USUAL[name]?.find((value) => typeof value === "object");
  if (properties !== undefined && whole !== undefined) return whole;
  if (properties !== undefined)
    return Object.fromEntries(
      Object.entries(properties).map(([key, field]) => [key, make(field, key, printed)]),
    );
  if (items !== undefined) return [make(items, name, printed)];
  return leaf([schema.type ?? []].flat(), name, printed.examples);
}

/** Of several forms the first that is one. */
function choose(ways: readonly Schema[], name: string, printed: Printed): unknown {
  const isKnown = PRESENT.has(name) || name in printed.examples;
  const isLacking = ways.some(({ type }) => type === "null") && !isKnown;
  const [first = {}] = ways.filter(({ type }) => type !== "null");
  return isLacking ? null : make(first, name, printed);
}

/** The value of a field that has no parts; `types` is empty where a schema takes everything. */
function leaf(types: readonly string[], name: string, examples: Json): unknown {
  const fits = (value: unknown) => types.length === 0 || types.includes(typeOf(value, types));
  const ending = ENDINGS.find(([pattern, value]) => pattern.test(name) && fits(value))?.[1];
  const known = [...(USUAL[name] ?? []), ending, SENTENCE, 1, false, {}];
  const isLacking = types.includes("null") && !PRESENT.has(name);
  const candidates = [examples[name], ...(isLacking ? [null] : known)];
  return candidates.find((value) => value !== undefined && fits(value));
}

function typeOf(value: unknown, types: readonly string[]): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) && !types.includes("number") ? "integer" : typeof value;
}
