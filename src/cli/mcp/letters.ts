import type { Result } from "@modelcontextprotocol/server";
import type * as z from "zod";
import { CairnError, connect, type Network } from "../../client/index.ts";
import { demandAgent } from "../../client/messages/mailbox.ts";
import {
  type KeysChanged,
  type Mailbox,
  makeMessageKeys,
  messageKeysIn,
  publishMessageKeys,
  type ReadMessage,
  readMessages,
  sealMessage,
} from "../../client/messages.ts";
import { reasonOf } from "../../client/transport.ts";
import { Rejection } from "../../platform/kernel/contract/errors.ts";
import { normalized } from "../../platform/kernel/contract/fields.ts";
import { bytesOf } from "../../platform/kernel/contract/page.ts";
import { clamped } from "../../platform/kernel/words/clamped.ts";
import { sha256Hex } from "../../platform/ledger/sha256.ts";
import { UNTRUSTED } from "../../surfaces/describe/instructions.ts";
import { checkedInput } from "../../surfaces/dispatch/checked-input.ts";
import { refuseUnknown } from "../../surfaces/dispatch/teaching.ts";
import { TOOL_ANSWER_MAX_BYTES } from "../../surfaces/mcp/answer-cap.ts";
import { type LetterStore, type MarkedLetter, openLetterStore } from "./letter-store.ts";
import { LETTER_OPERATIONS } from "./letter-tools.ts";
import { refusal, refusalOf, success } from "./results.ts";

/** Of a message's frame in the answer, its box and its body are the rest. */
const RESERVED_BYTES = 300;

/** Calls one of them; null when the name is another's. */
export type CallLetters = (
  name: unknown,
  args: unknown,
  signal: AbortSignal,
) => Promise<Result> | null;

interface LettersParts {
  readonly baseUrl: string;
  readonly token: string;
  /** Holds the agent's keys, and whom it knows by which. */
  readonly file: string;
}

/** As over MCP: other content under a mark is refused. */
const strictly: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  headers.set("prefer", "handling=strict");
  return fetch(input, { ...init, headers });
};

/** The agent's messages, sealed and opened on this machine. The file is made with the first of them. */
export function lettersOf({ baseUrl, token, file }: LettersParts): CallLetters {
  const connection = { baseUrl, token, fetch: strictly };
  const now = nowHere;
  let store: LetterStore | null = null;

  const opened = (): LetterStore => {
    store ??= openLetterStore(file, now);
    return store;
  };

  /** The mailbox, and whose keys it sees changed: it goes on with those that it knows. A trial publishes no keys. */
  async function mailbox(
    network: Network,
    { isTrial }: Trying,
  ): Promise<readonly [Mailbox, readonly KeysChanged[]]> {
    const changed: KeysChanged[] = [];
    const { agent_id, profile } = await network.me.get();
    const keys = await publishedKeys(network, opened(), {
      capabilities: profile?.capabilities ?? [],
      isTrial,
    });
    const onKeysChanged = async (change: KeysChanged) => {
      if (!changed.some((other) => other.agent_id === change.agent_id)) changed.push(change);
      return "keep" as const;
    };
    return [{ network, agent_id, keys: [keys], store: opened(), onKeysChanged }, changed];
  }

  const tools = {
    async dm_write(network: Network, args: unknown): Promise<Result> {
      const { to: name, body, ...marks } = checked(LETTER_OPERATIONS.dm_write, args);
      const { not_after = Number.POSITIVE_INFINITY } = marks;
      if (now() > not_after) return refusal(TOO_LATE);
      const isTrial = marks.dry_run === 1;
      const [own, changed] = await mailbox(network, { isTrial });
      const met: string[] = [];
      const store = meeting(own.store, { met, isTrial });
      const { to, box } = await sealMessage({ ...own, store }, { to: name, body, now: now() });
      const [change] = changed;
      if (change !== undefined) return keysChanged(change);
      const recipient_key = box.slice(0, KEY_NAME_CHARS);
      const letter = { recipient: to, body_sha256: sha256Hex(body), recipient_key };
      const {
        message: _,
        ok,
        id,
        ...said
      } = await network.dm.send({
        ...marks,
        to,
        box: boxFor(opened(), letter, { box, ...marks }),
      });
      const keys = met.includes(to) ? "first_contact" : "known";
      return success({ ok, id, to, sealed: true, keys, ...said });
    },
    async dm_read(network: Network, args: unknown): Promise<Result> {
      const { sent, hints } = clamped(LETTER_OPERATIONS.dm_read, Object(args));
      const which = checked(LETTER_OPERATIONS.dm_read, sent);
      const [own, changed] = await mailbox(network, { isTrial: false });
      const page = await readMessages(own, { ...which, now: now() });
      const noted = hints.length > 0 && { hints };
      return success({ notice: UNTRUSTED, ...noted, ...shown(page, which.after_id, changed) });
    },
    async dm_keys_accept(network: Network, args: unknown): Promise<Result> {
      const {
        not_after = Number.POSITIVE_INFINITY,
        dry_run,
        ...input
      } = checked(LETTER_OPERATIONS.dm_keys_accept, args);
      if (now() > not_after) return refusal(TOO_LATE);
      const { agent, noticeboard } = await network.agent.get({ agent_id: input.agent_id });
      demandAgent(agent, input.agent_id);
      const published = messageKeysIn(noticeboard?.capabilities ?? []);
      const isShown =
        published?.encryption === input.encryption && published.signing === input.signing;
      if (!isShown) return refusal(NOT_PUBLISHED);
      if (dry_run !== 1) await opened().pin(agent.agent_id, published);
      const tried = dry_run === 1 && { dry_run: true };
      return success({ ok: true, agent_id: agent.agent_id, ...tried });
    },
  };
  return (name, args, signal) => {
    if (!isOwn(name, tools)) return null;
    signal.throwIfAborted();
    return tools[name](connect({ ...connection, signal }), args).catch((error: unknown) => {
      if (signal.aborted || isTold(error)) return refusalOf(error);
      return refusal(storeFailed(file, error));
    });
  };
}

const isTold = (error: unknown): boolean =>
  error instanceof CairnError || error instanceof Rejection;

/** The file with the keys is the only thing on this side that fails in a way of its own. */
const storeFailed = (file: string, error: unknown) =>
  ({
    ok: false,
    error: "message_store_failed",
    message: `The file with your message keys cannot be used${reasonOf(error)}: ${file}. Look at its rights and at the free disk, then call again with the same client_ref.`,
  }) as const;

const isOwn = <Tools extends object>(name: unknown, tools: Tools): name is keyof Tools =>
  typeof name === "string" && Object.hasOwn(tools, name);

const keysChanged = ({ agent_id, pinned, published }: KeysChanged) =>
  refusal({
    ok: false,
    error: "keys_changed",
    message:
      "The recipient's profile shows other keys than you know it by, so nothing was sent. Ask it by another way whether it changed them; if so, call dm_keys_accept with the published keys.",
    agent_id,
    known: pinned,
    published,
  });

/** Of a box: the name of its scheme, and as many characters as the name of the recipient's key fills. */
const KEY_NAME_CHARS = "hpke1.".length + 10;

/** The box that stands for a letter: with a mark the one that was sealed first, since each sealing makes another. */
function boxFor(
  store: LetterStore,
  letter: Omit<MarkedLetter, "client_ref">,
  { box, client_ref, dry_run }: Marks & { readonly box: string },
): string {
  if (client_ref === undefined) return box;
  const marked = { ...letter, client_ref };
  return dry_run === 1 ? (store.keptBox(marked) ?? box) : store.keepBox(marked, box);
}

/** The same store, which tells whom it meets for the first time. A trial keeps nothing in it. */
const meeting = (
  store: Mailbox["store"],
  { met, isTrial }: Trying & { readonly met: string[] },
): Mailbox["store"] => ({
  ...store,
  async pin(agent_id, keys) {
    met.push(agent_id);
    if (!isTrial) await store.pin(agent_id, keys);
  },
  async setHandleOwner(handle, agent_id) {
    if (!isTrial) await store.setHandleOwner(handle, agent_id);
  },
});

type Marks = Pick<
  z.output<typeof LETTER_OPERATIONS.dm_write.input>,
  "client_ref" | "not_after" | "dry_run"
>;

/** Whether nothing may be stored or published. */
interface Trying {
  readonly isTrial: boolean;
}

const TOO_LATE = {
  ok: false,
  error: "too_late",
  message: "Nothing was done: the time in not_after is over.",
} as const;

const NOT_PUBLISHED = {
  ok: false,
  error: "keys_not_published",
  message: "The agent's profile does not show these keys. Nothing was changed.",
} as const;

/**
 * The keys of this store, made and published where the profile has none yet. Others than the store's
 * are left alone: somebody else reads with them. Rejects with CairnError `other_keys_published`.
 */
async function publishedKeys(
  network: Network,
  store: LetterStore,
  { capabilities, isTrial }: Trying & { readonly capabilities: readonly string[] },
) {
  const published = messageKeysIn(capabilities);
  const known = store.ownKeys();
  if (published === null) {
    if (isTrial) return known ?? makeMessageKeys();
    const keys = known ?? store.makeKeys();
    await publishMessageKeys(network, keys);
    return keys;
  }
  const isOurs = published.encryption === known?.encryption && published.signing === known.signing;
  if (known !== null && isOurs) return known;
  throw new CairnError({
    code: "other_keys_published",
    message:
      "Your profile has message keys that are not kept here. Use the program that has them, or take them out of your capabilities with profile_set first.",
  });
}

/** As many as an answer holds, one at least; the rest is read from `after_id` on. */
function shown(
  page: Awaited<ReturnType<typeof readMessages>>,
  after_id: number,
  changed: readonly KeysChanged[],
) {
  const messages: object[] = [];
  let bytes = RESERVED_BYTES;
  let last = after_id;
  for (const message of page.messages) {
    const { agent_id } = message.from;
    const change = changed.find((one) => one.agent_id === agent_id);
    const letter = letterOf(message, change);
    bytes += bytesOf(letter);
    if (bytes > TOOL_ANSWER_MAX_BYTES && messages.length > 0) break;
    messages.push(letter);
    last = message.id;
  }
  const more = page.more || messages.length < page.messages.length;
  return { ok: true, messages, count: messages.length, after_id: last, more };
}

/**
 * A message without what only programs need. One that is not proven has its box, and the keys of its
 * sender where they changed.
 */
function letterOf(message: ReadMessage, change: KeysChanged | undefined): object {
  const { id, from, created_at } = message;
  if (!message.proven) {
    const { reason, box } = message;
    const keys = change && { keys: { known: change.pinned, published: change.published } };
    return { id, from, created_at, proven: false, reason, box, ...keys };
  }
  const { body, ts, repetition } = message;
  return { id, from, created_at, proven: true, ts, repetition, body };
}

/** The arguments of one of the tools, in the forms that every door takes. Rejects with `validation_failed`. */
function checked<In extends z.ZodObject>(
  operation: Parameters<typeof checkedInput<In>>[0],
  args: unknown,
): z.output<In> {
  const sent = normalized(operation, Object(args));
  const found = checkedInput(operation, sent, { now: nowHere(), isStrict: true });
  refuseUnknown(operation, found.sent);
  return found.input;
}

const nowHere = (): number => Math.floor(Date.now() / 1_000);
