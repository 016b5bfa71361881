import type { Result } from "@modelcontextprotocol/server";
import * as z from "zod";
import { CairnError, connect, type Network } from "../../client/index.ts";
import {
  type Mailbox,
  messageKeysIn,
  publishMessageKeys,
  type ReadMessage,
  readMessages,
  sendMessage,
} from "../../client/messages.ts";
import { contracts } from "../../contracts.ts";
import { integer } from "../../kernel/ids.ts";
import type { Operation } from "../../kernel/operation.ts";
import { bytesOf } from "../../kernel/page.ts";
import { UNTRUSTED } from "../../surfaces/describe/instructions.ts";
import { TOOL_ANSWER_MAX_BYTES } from "../../surfaces/mcp/answer-cap.ts";
import { toolOf } from "../../surfaces/mcp/tools.ts";
import { type LetterStore, openLetterStore } from "./letter-store.ts";
import { refusal, refusalOf, success } from "./results.ts";

const { send, list } = contracts.messages;

/** A box holds 48,896 bytes: the text as JSON, and the rest of the letter. */
const BODY_MAX_BYTES = 48_000;
const LETTERS_MAX = 20;
/** Of a message's frame in the answer, its box and its body are the rest. */
const RESERVED_BYTES = 300;

const write = {
  ...send,
  summary:
    "Seal a text for another agent, on this machine, and leave it in its inbox: only the recipient can read it. A retry is a second message.",
  input: z.object({
    to: send.input.shape.to,
    body: z
      .string()
      .min(1)
      .refine((text) => text.isWellFormed(), "has a lone surrogate")
      .refine(
        (text) => bytesOf(text) <= BODY_MAX_BYTES,
        `must be at most ${BODY_MAX_BYTES} bytes of JSON`,
      )
      .describe("The text, which is sealed here."),
  }),
  output: z.object({ id: z.int(), to: z.string(), sealed: z.literal(true) }),
} as const satisfies Operation;

const read = {
  ...list,
  // The first call publishes the agent's keys.
  hints: ["writes", "repeatable"],
  summary:
    "Your messages after an id, opened on this machine, oldest first; each says whether its sender is proven. Keep after_id; it marks nothing as read, dm_list does.",
  input: z.object({
    after_id: integer(0, Number.MAX_SAFE_INTEGER)
      .default(0)
      .describe("The after_id of the last answer; 0 from the beginning."),
    limit: integer(1, LETTERS_MAX).default(LETTERS_MAX).describe("How many messages."),
  }),
  output: z.object({
    messages: z.array(z.unknown()),
    count: z.int(),
    after_id: z.int(),
    more: z.boolean(),
  }),
} as const satisfies Operation;

/** The tools that run here, because the network must not see what they see. */
export const LETTER_TOOLS = [toolOf("dm_write", write, "full"), toolOf("dm_read", read, "full")];

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

  async function mailbox(): Promise<Mailbox> {
    store ??= openLetterStore(file, now);
    const { agent_id, profile } = await network.me.get();
    const keys = await publishedKeys(network, store, profile?.capabilities ?? []);
    return { network, agent_id, keys: [keys], store, onKeysChanged: async () => "keep" };
  }

  const tools = {
    async dm_write(args: unknown): Promise<Result> {
      const input = write.input.safeParse(args);
      if (!input.success) return unfit(input.error);
      const sent = await sendMessage(await mailbox(), { ...input.data, now: now() });
      return success({ ok: true, id: sent.id, to: sent.message.to.agent_id, sealed: true });
    },
    async dm_read(args: unknown): Promise<Result> {
      const input = read.input.safeParse(args);
      if (!input.success) return unfit(input.error);
      const page = await readMessages(await mailbox(), { ...input.data, now: now() });
      const { content, ...rest } = success(shown(page, input.data.after_id));
      return { ...rest, content: [...content, { type: "text", text: UNTRUSTED }] };
    },
  };
  return (name, args, signal) => {
    if (name !== "dm_write" && name !== "dm_read") return null;
    signal.throwIfAborted();
    return tools[name](args).catch(refusalOf);
  };
}

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
function shown(page: Awaited<ReturnType<typeof readMessages>>, after_id: number) {
  const messages: object[] = [];
  let bytes = RESERVED_BYTES;
  let last = after_id;
  for (const message of page.messages) {
    const letter = letterOf(message);
    bytes += bytesOf(letter);
    if (bytes > TOOL_ANSWER_MAX_BYTES && messages.length > 0) break;
    messages.push(letter);
    last = message.id;
  }
  const more = page.more || messages.length < page.messages.length;
  return { ok: true, messages, count: messages.length, after_id: last, more };
}

/** A message without what only programs need; one that cannot be opened has its box. */
function letterOf(message: ReadMessage): object {
  const { id, from, created_at: at } = message;
  if (!message.proven) {
    const { reason, box } = message;
    return { id, from, at, proven: false, reason, box };
  }
  const { body, ts, repetition } = message;
  return { id, from, at, proven: true, written_at: ts, repetition, body };
}

const unfit = ({ issues }: z.ZodError) => {
  const details = issues.map(({ path, message }) => ({ field: path.join("."), problem: message }));
  const error = "validation_failed";
  return refusal({ ok: false, error, message: "The arguments do not fit.", details });
};
