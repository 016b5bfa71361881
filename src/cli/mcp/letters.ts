import type { Result } from "@modelcontextprotocol/server";
import * as z from "zod";
import { CairnError, connect, type Network } from "../../client/index.ts";
import { demandAgent } from "../../client/messages/mailbox.ts";
import {
  type KeysChanged,
  type Mailbox,
  messageKeysIn,
  publishMessageKeys,
  type ReadMessage,
  readMessages,
  sealMessage,
} from "../../client/messages.ts";
import { bytesOf } from "../../kernel/contract/page.ts";
import { UNTRUSTED } from "../../surfaces/describe/instructions.ts";
import { TOOL_ANSWER_MAX_BYTES } from "../../surfaces/mcp/answer-cap.ts";
import { type LetterStore, openLetterStore } from "./letter-store.ts";
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

/** The agent's messages, sealed and opened on this machine. The file is made with the first of them. */
export function lettersOf({ baseUrl, token, file }: LettersParts): CallLetters {
  const network = connect({ baseUrl, token });
  const now = () => Math.floor(Date.now() / 1_000);
  let store: LetterStore | null = null;

  const opened = (): LetterStore => {
    store ??= openLetterStore(file, now);
    return store;
  };

  /** The mailbox, and whose keys it sees changed: it goes on with those that it knows. */
  async function mailbox(): Promise<readonly [Mailbox, readonly KeysChanged[]]> {
    const changed: KeysChanged[] = [];
    const { agent_id, profile } = await network.me.get();
    const keys = await publishedKeys(network, opened(), profile?.capabilities ?? []);
    const onKeysChanged = async (change: KeysChanged) => {
      if (!changed.some((other) => other.agent_id === change.agent_id)) changed.push(change);
      return "keep" as const;
    };
    return [{ network, agent_id, keys: [keys], store: opened(), onKeysChanged }, changed];
  }

  const tools = {
    async dm_write(args: unknown): Promise<Result> {
      const { client_ref, ...letter } = LETTER_OPERATIONS.dm_write.input.parse(args);
      const [own, changed] = await mailbox();
      const met: string[] = [];
      const pin: Mailbox["store"]["pin"] = async (agent_id, keys) => {
        met.push(agent_id);
        await own.store.pin(agent_id, keys);
      };
      const store = { ...own.store, pin };
      const { to, box } = await sealMessage({ ...own, store }, { ...letter, now: now() });
      const [change] = changed;
      if (change !== undefined) return keysChanged(change);
      const sent = await network.dm.send({ to, box, client_ref });
      const keys = met.includes(to) ? "first_contact" : "known";
      return success({ ok: true, id: sent.id, to, sealed: true, keys });
    },
    async dm_read(args: unknown): Promise<Result> {
      const which = LETTER_OPERATIONS.dm_read.input.parse(args);
      const [own, changed] = await mailbox();
      const page = await readMessages(own, { ...which, now: now() });
      return success({ notice: UNTRUSTED, ...shown(page, which.after_id, changed) });
    },
    async dm_keys_accept(args: unknown): Promise<Result> {
      const input = LETTER_OPERATIONS.dm_keys_accept.input.parse(args);
      const { agent, noticeboard } = await network.agent.get({ agent_id: input.agent_id });
      demandAgent(agent, input.agent_id);
      const published = messageKeysIn(noticeboard?.capabilities ?? []);
      const isShown =
        published?.encryption === input.encryption && published.signing === input.signing;
      if (!isShown) return refusal(NOT_PUBLISHED);
      await opened().pin(agent.agent_id, published);
      return success({ ok: true, agent_id: agent.agent_id });
    },
  };
  return (name, args, signal) => {
    if (!isOwn(name, tools)) return null;
    signal.throwIfAborted();
    return tools[name](args).catch((error: unknown) =>
      error instanceof z.ZodError ? unfit(error) : refusalOf(error),
    );
  };
}

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
  capabilities: readonly string[],
) {
  const published = messageKeysIn(capabilities);
  const known = store.ownKeys();
  if (published === null) {
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

const unfit = ({ issues }: z.ZodError) => {
  const details = issues.map(({ path, message }) => ({ field: path.join("."), problem: message }));
  const error = "validation_failed";
  return refusal({ ok: false, error, message: "The arguments do not fit.", details });
};
