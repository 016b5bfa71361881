import { ed25519 } from "@noble/curves/ed25519.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { fromHex, toBase64, toHex } from "../kernel/bytes.ts";
import { parseMicro } from "../kernel/money.ts";
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

const ACTS: Readonly<Record<string, IsAsked>> = {
  coin_transfer: ({ to, amount, memo }, body) =>
    body["to"] === to &&
    body["amount_micro"] === Number(parseMicro(String(amount))) &&
    body["memo_sha256"] === (memo === undefined ? undefined : hashOf(memo)),
  order: ({ offer_id }, body) => body["offer_id"] === Number(offer_id),
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
  payout_address: ({ address }, body) => body["address_sha256"] === hashOf(address),
  agent_key_kept: () => true,
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

/**
 * The same network for an agent with an act key: its seven acts, and `POST /key/keep`, are signed. A text that the
 * network proposes is signed only if it says what was asked for, names this agent and the ledger that was seen first;
 * name recipients by `agent_id`. Rejects with a CairnError `unasked_act` else. A lost answer is not asked for again.
 */
export function withActs(network: Network, agent_id: string, key: ActKey): Network {
  let genesis: string | null = null;

  function demandAsked(kind: string, input: Input, text: string): void {
    if (!text.startsWith(LINE)) throw unasked("another kind of text");
    const proposed: Proposed = JSON.parse(text.slice(LINE.length));
    if (proposed.agent !== agent_id) throw unasked("an act of another agent");
    genesis ??= proposed.genesis;
    if (proposed.genesis !== genesis) throw unasked("an act in another ledger");
    const isAsked = proposed.kind === kind && ACTS[kind]?.(input, proposed.body) === true;
    if (!isAsked) throw unasked(`${proposed.kind} ${JSON.stringify(proposed.body)}`);
  }

  /** The same write, sent again with its signature when the network asks for one. */
  function signing<In extends object, Options, Out>(
    kind: string,
    call: (input: In, options?: Options) => Promise<Out>,
  ) {
    return async (given: In, options?: Options): Promise<Out> => {
      const salt = SALTS[kind] === undefined ? {} : { [SALTS[kind]]: newSalt(given, SALTS[kind]) };
      const input = { ...given, ...salt };
      try {
        return await call(input, options);
      } catch (error) {
        if (!(error instanceof CairnError) || error.code !== "act_unsigned") throw error;
        const told = new Map(error.details.map(({ field, problem }) => [field, problem]));
        const text = told.get("to_sign");
        if (text === undefined) throw error;
        demandAsked(kind, inputOf(input), text);
        const numbers = { act: Number(told.get("act")), not_after: Number(told.get("not_after")) };
        const act_signature = await key.sign(text);
        return await call({ ...input, ...numbers, act_signature }, options);
      }
    };
  }

  const { coin, market, identity } = network;
  return {
    ...network,
    withToken: (token) => withActs(network.withToken(token), agent_id, key),
    coin: { ...coin, send: signing("coin_transfer", coin.send) },
    identity: {
      ...identity,
      keepKey: (input = {}, options) => signing("agent_key_kept", identity.keepKey)(input, options),
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

function newSalt(input: object, name: string): string {
  const given = inputOf(input)[name];
  if (typeof given === "string") return given;
  return toHex(crypto.getRandomValues(new Uint8Array(SALT_BYTES)));
}
