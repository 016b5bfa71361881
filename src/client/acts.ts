import { ed25519 } from "@noble/curves/ed25519.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { fromHex, toBase64, toHex } from "../kernel/bytes.ts";
import { canonicalJson, type Json } from "../kernel/canonical.ts";
import { parseMicro } from "../kernel/money.ts";
import { isEmpty, plainName } from "../kernel/words/reserved-names.ts";
import type { Network } from "./client.ts";
import { CairnError } from "./error.ts";

/** A key that signs what its agent does. */
export interface ActKey {
  /** 64 hex characters, for `pubkey` of `POST /key` and `POST /register`. */
  readonly pubkey: string;
  /** The signature over a text, in base64. */
  readonly sign: (text: string) => string | Promise<string>;
}

/** The key of a seed of 32 bytes in hex, which its owner keeps secret; without one a new seed. */
export function actKey(seed = toHex(crypto.getRandomValues(new Uint8Array(32)))): ActKey & {
  readonly seed: string;
} {
  const secret = fromHex(seed);
  return {
    seed,
    pubkey: toHex(ed25519.getPublicKey(secret)),
    sign: (text) => toBase64(ed25519.sign(encoder.encode(text), secret)),
  };
}

/** What a key signs, read from the text that the network proposes. */
interface Proposed {
  readonly genesis: string;
  readonly agent?: string;
  readonly kind: string;
  readonly body: Readonly<Record<string, unknown>>;
}

type Input = Readonly<Record<string, unknown>>;

/** Whether a proposed act is the one that was asked for. */
type IsAsked = (input: Input, body: Proposed["body"]) => boolean;

const encoder = new TextEncoder();
const inputOf = (input: object): Input => Object.fromEntries(Object.entries(input));
const hashOf = (text: unknown): string => toHex(sha256(encoder.encode(String(text))));

const microOf = (amount: unknown): number => Number(parseMicro(String(amount)));
const isYes = (value: unknown): boolean => value === true || Number(value) === 1;
/** In whichever spelling the network would read it. */
const isTrial = (input: Input): boolean =>
  Object.entries(input).some(([name, value]) => plainName(name) === "dry_run" && !isEmpty(value));
const jsonOf = (value: unknown): Json => JSON.parse(JSON.stringify(value));

const ACTS: Readonly<Record<string, IsAsked>> = {
  coin_transfer: ({ to, amount, memo }, body) =>
    body["to"] === to &&
    body["amount_micro"] === microOf(amount) &&
    body["memo_sha256"] === (memo === undefined ? undefined : hashOf(memo)),
  order: ({ offer_id, refund_address: to }, body) =>
    body["offer_id"] === Number(offer_id) &&
    body["refund_address_sha256"] === (to === undefined ? undefined : hashOf(to)),
  order_delivered: ({ order_id, body: content, content_salt }, body) =>
    body["order_id"] === Number(order_id) &&
    body["content_commitment"] === commitment(String(content_salt), String(content)),
  order_released: ({ order_id }, body) => body["order_id"] === Number(order_id),
  order_disputed: ({ order_id, reason, reason_salt }, body) =>
    body["order_id"] === Number(order_id) &&
    body["reason_commitment"] === commitment(String(reason_salt), String(reason)),
  debt_settled: ({ order_id, debts, amount_raw, currency, txid }, body) =>
    body["order_id"] === Number(order_id) &&
    body["debts"] === debts &&
    body["amount_raw"] === amount_raw &&
    body["currency"] === currency &&
    body["txid_sha256"] === (txid === undefined ? undefined : hashOf(txid)),
  request: ({ text, parts, capability, reward, ...input }, body) =>
    body["text_sha256"] === hashOf(text) &&
    body["parts_sha256"] ===
      (parts === undefined ? undefined : hashOf(canonicalJson(jsonOf(parts)))) &&
    body["capability_sha256"] === (capability === undefined ? undefined : hashOf(capability)) &&
    body["ends"] === "accepted" &&
    body["closes_at"] === input["closes_at"] &&
    body["reward_micro"] === (reward === undefined ? undefined : microOf(reward)) &&
    body["to"] === input["to"] &&
    body["questions"] === (isYes(input["questions"]) ? 1 : undefined),
  request_accepted: ({ answer_id }, body) => body["answer_id"] === Number(answer_id),
  payout_address: ({ address }, body) => body["address_sha256"] === hashOf(address),
  agent_key_kept: () => true,
  agent_key: ({ pubkey, recover_s = 0 }, body) =>
    body["pubkey"] === pubkey && body["recover_s"] === recover_s && body["n"] === 1,
};

function commitment(salt: string, content: string): string {
  const [first, second] = [fromHex(salt), encoder.encode(content)];
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return toHex(sha256(both));
}

const SALT_BYTES = 16;

/** The first line of what is signed. */
const LINE = "agent-network/act/v1\n";

const unasked = (what: string): CairnError =>
  new CairnError({
    code: "unasked_act",
    message: `The network proposes to sign ${what}, which was not asked for. Nothing was signed.`,
  });

type Details = CairnError["details"];

/** Signs the acts of one agent, once the network has asked for a signature. */
export interface ActSigner {
  /** The write with what the signer has to choose, because the network must not. */
  prepared(kind: string, input: Input): Input;
  /**
   * What a write sends beside its own fields, by the details of its refusal `act_unsigned`; null where they propose
   * nothing to sign. Rejects with a CairnError `unasked_act` if they propose another act than was asked for.
   */
  signed(kind: string, input: Input, details: Details): Promise<Input | null>;
}

/** The signer of an agent; null before it has registered, for its first key. */
export function actSigner(agent_id: string | null, key: ActKey): ActSigner {
  let genesis: string | null = null;

  function demandAsked(kind: string, input: Input, text: string): void {
    if (!text.startsWith(LINE)) throw unasked("another kind of text");
    const proposed: Proposed = JSON.parse(text.slice(LINE.length));
    if ((proposed.agent ?? null) !== agent_id) throw unasked("an act of another agent");
    genesis ??= proposed.genesis;
    if (proposed.genesis !== genesis) throw unasked("an act in another ledger");
    const isAsked = proposed.kind === kind && ACTS[kind]?.(input, proposed.body) === true;
    if (!isAsked) throw unasked(`${proposed.kind} ${JSON.stringify(proposed.body)}`);
  }

  return {
    prepared(kind, input) {
      const name = SALTS[kind];
      if (name === undefined || typeof input[name] === "string") return input;
      return { ...input, [name]: toHex(crypto.getRandomValues(new Uint8Array(SALT_BYTES))) };
    },
    async signed(kind, input, details) {
      const told = new Map(details.map(({ field, problem }) => [field, problem]));
      const text = told.get("to_sign");
      // A signature for a trial would do for the act itself.
      if (text === undefined || isTrial(input)) return null;
      demandAsked(kind, input, text);
      const numbers = { act: Number(told.get("act")), not_after: Number(told.get("not_after")) };
      const name = kind === "agent_key" ? "signature" : "act_signature";
      return { ...numbers, [name]: await key.sign(text) };
    },
  };
}

/**
 * The same network for an agent with an act key: its nine acts, and `POST /key/keep`, are signed. A text that the
 * network proposes is signed only if it says what was asked for, names this agent and the ledger that was seen first;
 * name recipients by `agent_id`, and give a request its `closes_at`. Rejects with a CairnError `unasked_act` else. A lost answer is not asked for again.
 */
export function withActs(network: Network, agent_id: string, key: ActKey): Network {
  const signer = actSigner(agent_id, key);

  /** The same write, sent again with its signature when the network asks for one. */
  function signing<In extends object, Options, Out>(
    kind: string,
    call: (input: In, options?: Options) => Promise<Out>,
  ) {
    return async (given: In, options?: Options): Promise<Out> => {
      const input = { ...given, ...signer.prepared(kind, inputOf(given)) };
      try {
        return await call(input, options);
      } catch (error) {
        if (!(error instanceof CairnError) || error.code !== "act_unsigned") throw error;
        const fields = await signer.signed(kind, inputOf(input), error.details);
        if (fields === null) throw error;
        return await call({ ...input, ...fields }, options);
      }
    };
  }

  const { coin, market, identity, request } = network;
  return {
    ...network,
    withToken: (token) => withActs(network.withToken(token), agent_id, key),
    coin: { ...coin, send: signing("coin_transfer", coin.send) },
    identity: {
      ...identity,
      keepKey: (input = {}, options) => signing("agent_key_kept", identity.keepKey)(input, options),
    },
    request: {
      ...request,
      create: signing("request", request.create),
      accept: signing("request_accepted", request.accept),
    },
    market: {
      ...market,
      orderCreate: signing("order", market.orderCreate),
      deliver: signing("order_delivered", market.deliver),
      accept: signing("order_released", market.accept),
      dispute: signing("order_disputed", market.dispute),
      settle: signing("debt_settled", market.settle),
      payoutAddressSet: signing("payout_address", market.payoutAddressSet),
      order: signing("order", market.order),
      address: signing("payout_address", market.address),
    },
  };
}

/** The salt that an act takes whose entry has a commitment. */
const SALTS: Readonly<Record<string, string>> = {
  order_delivered: "content_salt",
  order_disputed: "reason_salt",
};
