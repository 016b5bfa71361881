import { blake2b } from "@noble/hashes/blake2.js";
import { sha256 } from "@noble/hashes/sha2.js";
import type * as z from "zod";
import { coin } from "../../domains/coin/contract.ts";
import { identity } from "../../domains/identity/contract.ts";
import { market } from "../../domains/market/contract.ts";
import { repositories } from "../../domains/repositories/contract.ts";
import { endsBy, requests } from "../../domains/requests/contract.ts";
import { fromHex, toHex } from "../../platform/kernel/bytes.ts";
import { canonicalJson, type Json } from "../../platform/kernel/canonical.ts";
import { normalized, type Taking, takenInput } from "../../platform/kernel/contract/fields.ts";
import { AGENT_ID } from "../../platform/kernel/contract/id-forms.ts";
import { parseMicro } from "../../platform/kernel/money.ts";
import { accountOf, keyOfAccount } from "../../platform/kernel/nano.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import type { Network } from "../client.ts";
import { CairnError } from "../error.ts";

/** The sealed fields of a write, which are signed. Undefined is absent. */
type Body = Readonly<Record<string, string | number | undefined>>;

/** What a body takes beside the input. */
interface Around {
  readonly agent: string;
  /** What a write is about, as everybody reads it: the reads name no token. */
  readonly network: Pick<Network, "answer" | "market" | "request">;
  readonly signal: AbortSignal | undefined;
  /** The body that the network proposes. */
  readonly proposed: Readonly<Record<string, unknown>>;
}

/** A write that makes an act. */
interface Wanted {
  /** What to send: spellings, words and spans of time are resolved here, by this clock. */
  readonly sent: Readonly<Record<string, unknown>>;
  /** Until when it may be made, where the caller says so. */
  readonly not_after: Seconds | undefined;
  readonly body: (around: Around) => Promise<Record<string, string | number>>;
}

const encoder = new TextEncoder();
const hashOf = (text: string): string => toHex(sha256(encoder.encode(text)));
const hashIfAny = (text: string | undefined) => (text === undefined ? undefined : hashOf(text));
const microIfAny = (amount: bigint | undefined) =>
  amount === undefined ? undefined : Number(amount);
const jsonOf = (value: unknown): Json => JSON.parse(JSON.stringify(value));

const checksum = (key: Uint8Array) => blake2b(key, { dkLen: 5 });

/** The account as the network seals it. */
function accountIn(address: string): string {
  const key = keyOfAccount(address, checksum);
  return key === null ? address : accountOf(key, checksum);
}

/** An agent by its id: whose a handle is, only the network says. */
function idOf(to: string): string {
  if (AGENT_ID.test(to)) return to;
  const message = "Name the agent by its agent_id, for the act is signed. Nothing was signed.";
  throw new CairnError({ code: "bad_arguments", message });
}

/** SHA-256 of a salt and a text. */
function commitment(salt: string | undefined, content: string): string {
  return toHex(sha256(new Uint8Array([...fromHex(salt ?? ""), ...encoder.encode(content)])));
}

const jsonIn = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** What an asker's word about an answer names: the request and the agent are read, as everybody reads them. */
async function judgedIn(answer_id: number, { agent, network, signal }: Around) {
  const { answer } = await network.answer.get({ id: answer_id }, { signal });
  const { request_id, agent: to } = Object(answer);
  return { request_id: Number(request_id), answer_id, agent, to: String(Object(to).agent_id) };
}

/** The act of an operation: its body, from the input as the contract's own schema gives it. */
const act =
  <In extends z.ZodObject>(
    operation: Taking<In>,
    bodyOf: (input: z.output<In>, around: Around) => Body | Promise<Body>,
  ) =>
  (given: object, now: Seconds): Wanted | null => {
    const taken = takenInput(operation, normalized(operation, given), { now, parse: jsonIn });
    if ("error" in taken) return null;
    const { not_after }: { readonly not_after?: Seconds } = taken.input;
    return {
      sent: { ...taken.sent },
      not_after,
      async body(around) {
        const fields = Object.entries(await bodyOf(taken.input, around));
        return Object.fromEntries(
          fields.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
        );
      },
    };
  };

/** By the kind of the entry, and `/` with its outcome where a kind is the act of several writes. */
const ACTS: Readonly<Record<string, (given: object, now: Seconds) => Wanted | null>> = {
  coin_transfer: act(coin.send, ({ to, amount, memo }, { agent }) => ({
    from: agent,
    to: idOf(to),
    amount_micro: Number(amount),
    memo_sha256: hashIfAny(memo),
  })),
  offer: act(market.offer, (input, { agent }) => ({
    agent,
    capability_sha256: hashOf(input.capability),
    title_sha256: hashOf(input.title),
    description_sha256: hashOf(input.description),
    price_usd_micro: Number(input.price_usd),
    sla_hours: input.sla_hours,
  })),
  offer_withdrawn: act(market.withdraw, ({ offer_id }) => ({ offer_id })),
  order: act(market.order, async ({ offer_id, refund_address }, { agent, network, signal }) => {
    const { price_usd } = Object(
      (await network.market.offerGet({ id: offer_id }, { signal })).offer,
    );
    return {
      offer_id,
      buyer: agent,
      price_usd_micro: Number(parseMicro(String(price_usd))),
      refund_address_sha256: hashIfAny(refund_address && accountIn(refund_address)),
    };
  }),
  order_delivered: act(market.deliver, ({ order_id, body, content_salt }) => ({
    order_id,
    content_commitment: commitment(content_salt, body),
  })),
  order_released: act(market.accept, ({ order_id }) => ({ order_id })),
  order_disputed: act(market.dispute, ({ order_id, reason, reason_salt }) => ({
    order_id,
    reason_commitment: commitment(reason_salt, reason),
  })),
  "order_resolved/resume": act(market.withdrawDispute, ({ order_id }) => ({
    order_id,
    outcome: "resume",
  })),
  "order_resolved/refund": act(market.refund, ({ order_id }) => ({ order_id, outcome: "refund" })),
  debt_settled: act(market.settle, ({ txid, ...debt }, { agent }) => ({
    order_id: debt.order_id,
    agent,
    debts: debt.debts,
    amount_raw: debt.amount_raw,
    currency: debt.currency,
    txid_sha256: hashIfAny(txid),
  })),
  payout_address: act(market.address, ({ address }, { agent }) => ({
    agent,
    address_sha256: hashOf(accountIn(address)),
  })),
  request: act(requests.create, (input, { agent }) => ({
    agent,
    text_sha256: hashOf(input.text),
    parts_sha256: hashIfAny(input.parts && canonicalJson(jsonOf(input.parts))),
    capability_sha256: hashIfAny(input.capability),
    ends: endsBy(input),
    closes_at: input.closes_at,
    reward_micro: microIfAny(input.reward),
    to: input.to === undefined ? undefined : idOf(input.to),
    questions: input.questions === 1 ? 1 : undefined,
  })),
  request_accepted: act(requests.accept, async ({ answer_id }, around) => {
    const judged = await judgedIn(answer_id, around);
    const { network, signal } = around;
    const { reward } = Object(
      (await network.request.get({ id: judged.request_id }, { signal })).request,
    );
    const reward_micro = reward === null ? undefined : Number(parseMicro(String(reward)));
    return { ...judged, reward_micro };
  }),
  request_refused: act(requests.refuse, async ({ answer_id, reason }, around) => ({
    ...(await judgedIn(answer_id, around)),
    reason_sha256: hashOf(reason),
  })),
  request_withdrawn: act(requests.withdraw, ({ request_id }) => ({ request_id })),
  repo_writer: act(repositories.writers, ({ repo_id, agent: writer, remove }, { agent }) => ({
    repo_id,
    agent,
    writer: idOf(writer),
    allowed: remove === 1 ? 0 : 1,
  })),
  agent_key_kept: act(identity.keepKey, (_, { agent, proposed }) => ({
    agent,
    // Which attempt to replace the key it is: nothing depends on it but whether the act is taken.
    attempt: Number(proposed["attempt"]),
  })),
};

/** A write that makes an act of this name; null for an input that the contract does not take. */
export const wantedAct = (name: string, given: object, now: Seconds): Wanted | null =>
  ACTS[name]?.(given, now) ?? null;
