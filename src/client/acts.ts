import { ed25519 } from "@noble/curves/ed25519.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { fromHex, toBase64, toHex } from "../platform/kernel/bytes.ts";
import { canonicalJson } from "../platform/kernel/canonical.ts";
import { inputOf } from "../platform/kernel/contract/call-table.ts";
import { actText } from "../platform/kernel/proof/act-text.ts";
import { keyedId } from "../platform/kernel/proof/agent-id.ts";
import { DAY_S, MINUTE_S, type Seconds } from "../platform/kernel/time.ts";
import { isEmpty, plainName } from "../platform/kernel/words/reserved-names.ts";
import { isOpen } from "../verify/shapes.ts";
import type { Network } from "./client.ts";
import { CairnError } from "./error.ts";
import type { CallOptions } from "./wire.ts";

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

/** What a signer knows of its ledger and of its own acts. */
export interface ActRecord {
  /** The name of the ledger, as it was first seen. */
  readonly genesis: string;
  readonly epoch: number;
  /** The number of the key. */
  readonly key: number;
  /** The last act that was made; 0 before the first. */
  readonly act: number;
  /** Until when the act after it may be made, which was signed and is not known to have been made. */
  readonly open_until?: Seconds | undefined;
}

/** Where a signer keeps that, so that it outlives the program. Programs with the same key may share one. */
export interface ActStore {
  readonly read: () => ActRecord | null | Promise<ActRecord | null>;
  readonly keep: (record: ActRecord) => void | Promise<void>;
}

export interface ActOptions {
  /** Default: the memory of this program. */
  readonly store?: ActStore | undefined;
  /** Unix seconds; default: the clock of this machine. */
  readonly now?: (() => Seconds) | undefined;
}

type Details = CairnError["details"];
type Input = Readonly<Record<string, unknown>>;

/** What a write came to. */
interface ActAnswer<Out> {
  readonly isMade: boolean;
  /** Of a refusal `act_unsigned`; null for everything else. */
  readonly unsigned: Details | null;
  /** Returns the answer, or throws what it rejected with. */
  readonly out: () => Out;
}

/** Signs the acts of one agent, one after the other. */
export interface ActSigner {
  /**
   * Sends a write, and once more with its signature where the network asks for one. The name is that of the entry's
   * kind, and `/` with its outcome where a kind is the act of several writes. Rejects with a CairnError `unasked_act`
   * if the network proposes another act than was asked for.
   */
  act<Out>(
    name: string,
    given: object,
    send: (input: Input) => Promise<ActAnswer<Out>>,
    signal?: AbortSignal,
  ): Promise<Out>;
}

/** How long an act may be made, by this clock: for as long its signature is good. */
const NOT_AFTER_S: Seconds = 10 * MINUTE_S;
/** At first sight the number of acts is the network's word. */
const ACTS_UNSEEN_MAX = 100_000;
/** Acts that other programs with the same key may have made since. */
const ACTS_OF_OTHERS_MAX = 1_000;
/** Keys and epochs are few. */
const FEW_MAX = 10_000;
const SALT_BYTES = 16;

const encoder = new TextEncoder();
const nowHere = (): Seconds => Math.floor(Date.now() / 1_000);

/** In whichever spelling the network would read it. */
const isTrial = (input: Input): boolean =>
  Object.entries(input).some(([name, value]) => plainName(name) === "dry_run" && !isEmpty(value));

/** The first line of what is signed. */
const LINE = "agent-network/act/v1\n";

const unasked = (what: string): CairnError =>
  new CairnError({
    code: "unasked_act",
    message: `The network proposes to sign ${what}, which was not asked for. Nothing was signed.`,
  });

const isFew = (n: unknown, max: number): n is number =>
  Number.isSafeInteger(n) && Number(n) >= 1 && Number(n) <= max;

/** What the network proposes to sign, as far as it is an act that can be made soon. */
function proposalIn(details: Details, at: Seconds): Input & ActRecord {
  const text = details.find(({ field }) => field === "to_sign")?.problem ?? "";
  const act: unknown = text.startsWith(LINE) ? jsonIn(text.slice(LINE.length)) : null;
  if (!isOpen(act)) throw unasked("another kind of text");
  const { genesis, epoch, key, act: n, not_after } = act;
  if (typeof genesis !== "string" || !/^[0-9a-f]{64}$/.test(genesis)) throw unasked("no ledger");
  if (!isFew(epoch, FEW_MAX) || !isFew(key, FEW_MAX)) throw unasked("an epoch or a key");
  if (!isFew(n, Number.MAX_SAFE_INTEGER)) throw unasked("an act without a number");
  if (!(Number(not_after) <= at + DAY_S))
    throw unasked("an act for over 24 hours after this machine's time");
  return { ...act, genesis, epoch, key, act: n };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The first act of a key: the text that introduces it and its agent, signed, and what is known from then on. */
export async function introduction(
  key: ActKey,
  handle: string | undefined,
  details: Details,
  at: Seconds = nowHere(),
): Promise<{ readonly fields: Input; readonly record: ActRecord }> {
  const { genesis, epoch, kind, body, ...proposed } = proposalIn(details, at);
  const agent = keyedId(key.pubkey, (text) => toHex(sha256(encoder.encode(text))));
  const named = handle === undefined ? {} : { handle };
  const wanted = { agent, n: 1, pubkey: key.pubkey, recover_s: 0, ...named };
  const isWanted =
    ["agent", "key", "act"].map((name) => proposed[name] ?? "").join() === `${agent},1,1` &&
    kind === "agent_key" &&
    isSame(body, wanted);
  if (!isWanted) throw unasked("something else than its key");
  const not_after = at + NOT_AFTER_S;
  const record = { genesis, epoch, key: 1, act: 1 };
  const text = actText({ ...record, agent, not_after, kind: "agent_key", body: wanted });
  return { fields: { act: 1, not_after, signature: await key.sign(text) }, record };
}

const isSame = (body: unknown, wanted: Readonly<Record<string, string | number>>): boolean =>
  isOpen(body) && canonicalJson(JSON.parse(JSON.stringify(body))) === canonicalJson({ ...wanted });

/** The signer of an agent. What a write is about it reads from the network without a token. */
export function actSigner(
  agent_id: string,
  key: ActKey,
  network: Network,
  { store, now = nowHere }: ActOptions = {},
): ActSigner {
  let seen: ActRecord | null = null;
  let last: Promise<unknown> = Promise.resolve();

  /** Rejects where the store does: before an act is sent, so that none is sent without its record. */
  async function keep(record: ActRecord): Promise<void> {
    await store?.keep(record);
    seen = record;
  }

  /** An act that is made is told as made: a store that fails now has the record of the open act, which is as safe. */
  async function keepMade(record: ActRecord): Promise<void> {
    seen = record;
    try {
      await store?.keep(record);
    } catch {}
  }

  /** The newest record: of two programs with one store the later one's. */
  async function known(): Promise<ActRecord | null> {
    const kept = (await store?.read()) ?? null;
    return seen !== null && seen.act >= (kept?.act ?? 0) ? seen : kept;
  }

  /** The number of the next act. The network's own is taken only for acts that this program cannot know. */
  async function numberAfter(record: ActRecord, proposed: number, at: Seconds): Promise<number> {
    const next = record.act + 1;
    if (proposed <= next) return next;
    if (proposed - next > ACTS_OF_OTHERS_MAX) throw unasked(`act ${proposed} after ${record.act}`);
    const { open_until = 0, ...others } = record;
    if (at > open_until) return proposed;
    await keep({ ...others, act: next });
    throw new CairnError({ code: "act_unconfirmed", message: UNCONFIRMED });
  }

  async function demandKnown(proposed: ActRecord): Promise<ActRecord> {
    const found = (await known()) ?? { ...proposed, act: proposed.act - 1, open_until: undefined };
    // These and no more: another member of a proposal is neither signed nor kept.
    const { genesis, epoch, key: n, act, open_until } = found;
    const record = { genesis, epoch, key: n, act, ...(open_until !== undefined && { open_until }) };
    if (proposed.genesis !== record.genesis) throw unasked("an act in another ledger");
    if (proposed.epoch !== record.epoch)
      throw unasked(`an act in epoch ${proposed.epoch}, and this is ${record.epoch},`);
    if (proposed.key !== record.key) throw unasked("an act of another key");
    if ((await known()) === null && record.act >= ACTS_UNSEEN_MAX)
      throw unasked(`act ${proposed.act} at first sight`);
    seen = record;
    return record;
  }

  async function acted<Out>(
    name: string,
    given: object,
    send: (input: Input) => Promise<ActAnswer<Out>>,
    signal: AbortSignal | undefined,
  ): Promise<Out> {
    signal?.throwIfAborted();
    const at = now();
    // The contract's own schemas are a chunk that only a signer loads.
    const { wantedAct } = await import("./acts/bodies.ts");
    const [kind = name] = name.split("/");
    const salted = withSalt(kind, given);
    const wanted = wantedAct(name, salted, at);
    const input = wanted?.sent ?? salted;
    const first = await send(input);
    // A signature for a trial would do for the act itself.
    if (first.unsigned === null || isTrial(input)) return first.out();
    if (wanted === null) throw unasked("a write in a form that this client does not know");
    const { not_after = at + NOT_AFTER_S } = wanted;
    if (not_after > at + DAY_S) throw new CairnError({ code: "bad_arguments", message: TOO_LONG });
    const proposed = proposalIn(first.unsigned, at);
    if (proposed["agent"] !== agent_id) throw unasked("an act of another agent");
    const proposedBody = isOpen(proposed["body"]) ? proposed["body"] : {};
    if (proposed["kind"] !== kind) throw unasked(`${shown(proposed["kind"])}`);
    const body = await wanted.body({ agent: agent_id, network, signal, proposed: proposedBody });
    if (!isSame(proposedBody, body)) throw unasked(`${kind} ${shown(proposedBody)}`);
    const { open_until = 0, ...record } = await demandKnown(proposed);
    const act = await numberAfter({ ...record, open_until }, proposed.act, at);
    const text = actText({ ...record, agent: agent_id, act, not_after, kind, body });
    const act_signature = await key.sign(text);
    await keep({ ...record, act: act - 1, open_until: Math.max(open_until, not_after) });
    const second = await send({ ...input, act, not_after, act_signature });
    if (second.isMade) await keepMade({ ...record, act });
    return second.out();
  }

  return {
    act(name, given, send, signal) {
      const next = last.then(() => acted(name, given, send, signal));
      last = next.catch(() => {});
      return next;
    },
  };
}

const SHOWN_MAX_CHARS = 300;

/** A value in a message, which stays short. */
const shown = (value: unknown): string => JSON.stringify(value)?.slice(0, SHOWN_MAX_CHARS) ?? "";

const TOO_LONG = "An act is signed for at most 24 hours: send an earlier not_after.";
const UNCONFIRMED =
  "Your last act was signed and not answered, and the network says now that it was made. Look before you repeat it. Nothing was signed.";

/**
 * The same network for an agent with an act key: its acts, and `POST /key/keep`, are signed. The signed text
 * is built here, from the write, this clock and what was seen before; of the network's proposal only what no program can
 * know is taken (the ledger's name at first sight, and acts of other programs with the same key). Name recipients by
 * `agent_id`, and give a request its `closes_at`. Rejects with a CairnError `unasked_act` for another act than was
 * asked for. A lost answer is not asked for again.
 */
export function withActs(
  network: Network,
  agent_id: string,
  key: ActKey,
  options: ActOptions = {},
): Network {
  return signedBy(network, actSigner(agent_id, key, network, options));
}

/** The same network, whose acts one signer signs. */
function signedBy(network: Network, signer: ActSigner): Network {
  /** The same write, sent again with its signature when the network asks for one. */
  const signing =
    <In extends object, Options extends CallOptions, Out>(
      name: string,
      call: (input: In, options?: Options) => Promise<Out>,
    ) =>
    (given: In, options?: Options): Promise<Out> =>
      signer.act(
        name,
        given,
        (input) =>
          call(inputOf(input), options).then(
            (out) => ({ isMade: true, unsigned: null, out: () => out }),
            (error: unknown) => ({
              isMade: false,
              unsigned: unsignedIn(error),
              out: () => fail(error),
            }),
          ),
        options?.signal,
      );

  const { coin, market, identity, repo, request } = network;
  return {
    ...network,
    withToken: (token) => signedBy(network.withToken(token), signer),
    coin: { ...coin, send: signing("coin_transfer", coin.send) },
    identity: {
      ...identity,
      keepKey: (input = {}, options) => signing("agent_key_kept", identity.keepKey)(input, options),
    },
    request: {
      ...request,
      create: signing("request", request.create),
      accept: signing("request_accepted", request.accept),
      refuse: signing("request_refused", request.refuse),
      withdraw: signing("request_withdrawn", request.withdraw),
    },
    repo: { ...repo, writerSet: signing("repo_writer", repo.writerSet) },
    market: {
      ...market,
      offerCreate: signing("offer", market.offerCreate),
      offerWithdraw: signing("offer_withdrawn", market.offerWithdraw),
      orderCreate: signing("order", market.orderCreate),
      deliver: signing("order_delivered", market.deliver),
      accept: signing("order_released", market.accept),
      dispute: signing("order_disputed", market.dispute),
      disputeWithdraw: signing("order_resolved/resume", market.disputeWithdraw),
      refund: signing("order_resolved/refund", market.refund),
      settle: signing("debt_settled", market.settle),
      payoutAddressSet: signing("payout_address", market.payoutAddressSet),
    },
  };
}

const unsignedIn = (error: unknown): Details | null =>
  error instanceof CairnError && error.code === "act_unsigned" ? error.details : null;

function fail(error: unknown): never {
  throw error;
}

/** The write as it travels, with what the signer has to choose, because the network must not. */
function withSalt(kind: string, given: object): Input {
  const input = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  );
  const name = SALTS[kind];
  if (name === undefined || typeof input[name] === "string") return input;
  return { ...input, [name]: toHex(crypto.getRandomValues(new Uint8Array(SALT_BYTES))) };
}

/** The salt that an act takes whose entry has a commitment. */
const SALTS: Readonly<Record<string, string>> = {
  order_delivered: "content_salt",
  order_disputed: "reason_salt",
};
