import * as z from "zod";
import { type PublicKey, parseRaw, publicKeyOf } from "../kernel/nano.ts";
import { accountKey } from "./account.ts";
import { type Block, ZERO } from "./block.ts";

// What a node answers, quirks and all: numbers and booleans are texts, and what is empty is "".
// A JSON number is refused on purpose: above 2^53 it has already lost digits.

const refined = <T>(parse: (text: string) => T | null | undefined) =>
  z.string().transform((text, issues) => {
    const value = parse(text);
    if (value !== null && value !== undefined) return value;
    issues.addIssue({ code: "custom", message: "is malformed" });
    return z.NEVER;
  });

const hash = refined((text): string | null => publicKeyOf(text));
const account = refined(accountKey);
const raw = refined(parseRaw);
const hexRaw = refined((text) => (/^[0-9A-Fa-f]{32}$/.test(text) ? BigInt(`0x${text}`) : null));
const signature = refined((text) => (/^[0-9A-Fa-f]{128}$/.test(text) ? text.toUpperCase() : null));
const FLAGS: Readonly<Record<string, boolean>> = {
  true: true,
  false: false,
  "1": true,
  "0": false,
};
const flag = refined((text) => FLAGS[text]);
const count = refined((text) => {
  const value = Number(text);
  return /^[0-9]{1,15}$/.test(text) ? value : null;
});

/** A hash or an account that may be missing; "", "0" and zeros mean the same. */
const maybe = <T extends string>(schema: z.ZodType<T, string>) =>
  z
    .union([z.enum(["", "0", ZERO]).transform(() => null), schema])
    .nullish()
    .transform((value) => value ?? null);

/** An empty list or object is sent as "". */
const orEmpty = <T extends z.ZodType>(schema: T, empty: z.output<T>) =>
  z.union([z.literal("").transform(() => empty), schema]);

const contents = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("state"),
    account,
    previous: hash,
    representative: account,
    balance: raw,
    link: hash,
    signature,
  }),
  z.object({
    type: z.literal("send"),
    previous: hash,
    destination: account,
    balance: hexRaw,
    signature,
  }),
  z.object({ type: z.literal("receive"), previous: hash, source: hash, signature }),
  z.object({
    type: z.literal("open"),
    source: hash,
    representative: account,
    account,
    signature,
  }),
  z.object({
    type: z.literal("change"),
    previous: hash,
    representative: account,
    signature,
  }),
]);

/** A block with its signature, as JSON or, where `json_block` was ignored, as the text of it. */
export const signedBlock: z.ZodType<Block & { readonly signature: string }> = z.union([
  contents,
  refined((text): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      return null;
    }
  }).pipe(contents),
]);

/** What a node says of one block; all but its contents is the node's word. */
export const blockRow = z.object({
  block_account: maybe(account),
  amount: raw.nullish(),
  confirmed: flag,
  contents: signedBlock,
  subtype: z.string().nullish(),
  receive_hash: maybe(hash),
  source_account: maybe(account),
});
export type BlockRow = z.output<typeof blockRow>;

/** `blocks_info`: rows by hash, with hashes as the node wrote them. */
export const blocksInfo = z.object({
  blocks: orEmpty(z.record(z.string(), z.unknown()), {}),
  blocks_not_found: orEmpty(z.array(hash), []).optional(),
});

/** One receivable block; amount and sender are null when the endpoint left them out. */
export interface Receivable {
  readonly hash: string;
  readonly amountRaw: bigint | null;
  readonly from: PublicKey | null;
}

const receivableMembers = z.union([
  raw.transform((amountRaw) => ({ amountRaw, from: null })),
  z
    .object({ amount: raw, source: account })
    .transform(({ amount, source }) => ({ amountRaw: amount, from: source })),
]);

/** `receivable` in its three shapes: hashes alone, amounts by hash, amounts and senders by hash. */
export const receivableList = z.object({
  blocks: orEmpty<z.ZodType<readonly Receivable[]>>(
    z.union([
      z.array(hash.transform((found) => ({ hash: found, amountRaw: null, from: null }))),
      z
        .record(hash, receivableMembers)
        .transform((record) =>
          Object.entries(record).map(([found, rest]) => ({ hash: found, ...rest })),
        ),
    ]),
    [],
  ),
});

export const receivableExists = z.object({ exists: flag });

/** One block of an account's own chain. A send's link is an account, a receive's is the send's hash. */
const historyEntry = z.object({
  hash,
  type: z.string(),
  subtype: z.string().nullish(),
  account: maybe(account),
  amount: raw.nullish(),
  link: maybe(hash),
  source: maybe(hash),
  local_timestamp: z.union([z.literal("").transform(() => 0), count]).nullish(),
});
export type HistoryEntry = z.output<typeof historyEntry>;

export const historyPage = z.object({
  history: orEmpty(z.array(historyEntry), []),
  previous: maybe(hash),
});

export const version = z.object({ network_identifier: hash });
/** `timestamp`: milliseconds, as the node's peers have them; older nodes and proxies leave it out. */
export const telemetry = z.object({ block_count: count, timestamp: count.optional() });
/** `pruned` stands only where the node forgets old blocks. */
export const blockCount = z.object({ count, pruned: count.optional() });
