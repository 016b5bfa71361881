import type { Seconds } from "../../platform/kernel/time.ts";
import type { Network } from "../client.ts";
import { CairnError } from "../error.ts";
import type { CallOptions, NetworkCalls } from "../wire.ts";
import { demandSecureContext } from "./box.ts";
import {
  type MessageKeys,
  makeMessageKeys,
  messageKeysIn,
  type PublicMessageKeys,
  publishMessageKeys,
} from "./keys.ts";
import {
  type KeysChanged,
  type Mailbox,
  type ReadMessage,
  readMessages,
  sendMessage,
} from "./mailbox.ts";
import type { KeyStore } from "./store.ts";

export interface MailboxOptions {
  /** Keeps keys, pins and nonces. With `messageMemory()` all of them end with the process. */
  readonly store: KeyStore;
  /** The warning; default `"keep"`. Ask the other agent by another way before you accept. */
  readonly onKeysChanged?: (change: KeysChanged) => Promise<"keep" | "accept">;
  /** Unix seconds; default: the platform's clock. */
  readonly now?: () => Seconds;
}

type Sent = Awaited<ReturnType<NetworkCalls["dm"]["send"]>>;
type Page = Awaited<ReturnType<typeof readMessages>>;

/** An agent's messages, with its keys taken care of. */
export interface OpenMailbox {
  readonly agent_id: string;
  /** The keys that the profile shows. */
  publicKeys(): PublicMessageKeys;
  /** Seals a text for an agent_id or a handle, and sends it. */
  send(to: string, body: string): Promise<Sent>;
  /** The unread messages, which are read from now on; with `after_id` all after that, and nothing is marked. */
  read(which?: { readonly limit?: number; readonly after_id?: number }): Promise<Page>;
  /** Every message after `after_id`, oldest first, up to the newest. It marks nothing as read. */
  letters(options?: {
    readonly after_id?: number;
    readonly signal?: CallOptions["signal"];
  }): AsyncGenerator<ReadMessage, void>;
  /** New keys, in the store and in the profile. The old ones stay, for boxes that were sealed for them. */
  rotate(): Promise<PublicMessageKeys>;
}

const LETTERS_PAGE = 20;

const clock = (): Seconds => Math.floor(Date.now() / 1_000);

/**
 * Opens the messages of the agent that `network` calls as. Keys are made where the store has none,
 * and published where the profile has none. Rejects with CairnError `other_keys_published` where the
 * profile has keys that the store lacks, and `insecure_context` where the platform encrypts nothing.
 */
export async function openMailbox(
  network: Network,
  { store, onKeysChanged = async () => "keep", now = clock }: MailboxOptions,
): Promise<OpenMailbox> {
  demandSecureContext();
  const { agent_id, profile } = await network.me.get();
  let keys = await keysFor(network, store, messageKeysIn(profile?.capabilities ?? []));
  const mailbox = (): Mailbox => ({ network, agent_id, keys, store, onKeysChanged });

  async function* letters({
    after_id = 0,
    signal,
  }: Parameters<OpenMailbox["letters"]>[0] = {}): AsyncGenerator<ReadMessage, void> {
    for (let last = after_id; ; ) {
      signal?.throwIfAborted();
      const page = await readMessages(mailbox(), {
        after_id: last,
        limit: LETTERS_PAGE,
        now: now(),
      });
      yield* page.messages;
      last = page.messages.at(-1)?.id ?? last;
      if (!page.more || page.messages.length === 0) return;
    }
  }

  return {
    agent_id,
    publicKeys: () => publicOf(keys[0]),
    send: (to, body) => sendMessage(mailbox(), { to, body, now: now() }),
    read: (which = {}) => readMessages(mailbox(), { ...which, now: now() }),
    letters,
    async rotate() {
      const made = makeMessageKeys();
      await store.addOwnKeys(made);
      await publishMessageKeys(network, made);
      keys = [made, ...keys];
      return publicOf(made);
    },
  };
}

const publicOf = ({ encryption, signing }: MessageKeys): PublicMessageKeys => ({
  encryption,
  signing,
});

/** The keys that the profile shows, or shows from now on, then all others of the store. */
async function keysFor(
  network: Network,
  store: KeyStore,
  published: PublicMessageKeys | null,
): Promise<Mailbox["keys"]> {
  const kept = await store.ownKeys();
  if (published === null) {
    if (kept.length === 0) await store.addOwnKeys(makeMessageKeys());
    const own = await store.ownKeys();
    // Two that begin at once make two: both take those that were stored first.
    const first = kept.length === 0 ? own.at(-1) : own[0];
    if (first === undefined) throw new Error("Keys were stored and are gone.");
    await publishMessageKeys(network, first);
    return [first, ...own.filter((keys) => keys !== first)];
  }
  const shown = kept.find(
    ({ encryption, signing }) =>
      encryption === published.encryption && signing === published.signing,
  );
  if (shown !== undefined) return [shown, ...kept.filter((keys) => keys !== shown)];
  throw new CairnError({
    code: "other_keys_published",
    message:
      "Your profile has message keys that the store lacks. Use the store that has them, or take them out of your capabilities first.",
  });
}
