import { AGENT_ID } from "../../platform/kernel/contract/id-forms.ts";
import { demand, faultOf, Unproven } from "../../platform/kernel/proof/unproven.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import type { Network } from "../client.ts";
import { CairnError } from "../error.ts";
import type { Verdict } from "../verdict.ts";
import type { NetworkCalls } from "../wire.ts";
import { demandHand, openLetter, sealBox } from "./box.ts";
import { type MessageKeys, messageKeysIn, type PublicMessageKeys } from "./keys.ts";
import type { SignedLetter } from "./letter.ts";
import { LETTER_AHEAD_MAX_S, type MessageStore, NONCE_KEPT_S } from "./store.ts";

/** The profile of a known agent shows other keys: it has new ones, or somebody is in between. */
export interface KeysChanged {
  readonly agent_id: string;
  readonly pinned: PublicMessageKeys;
  readonly published: PublicMessageKeys;
}

/** One agent's end of its messages. */
export interface Mailbox {
  /** Called as the agent itself. */
  readonly network: Network;
  readonly agent_id: string;
  /** The current keys, which are published, then earlier ones, which still open old boxes. */
  readonly keys: readonly [MessageKeys, ...(readonly MessageKeys[])];
  readonly store: MessageStore;
  /** The warning. Ask the other agent by another way before you accept, for the server could lie. */
  readonly onKeysChanged: (change: KeysChanged) => Promise<"keep" | "accept">;
}

type Received = Awaited<ReturnType<NetworkCalls["dm"]["list"]>>["messages"][number];

type Sent = Awaited<ReturnType<NetworkCalls["dm"]["send"]>>;

/** The proof of a message: its sender wrote this. */
interface Opened {
  readonly body: string;
  /** By the sender's clock. */
  readonly ts: Seconds;
  /** Unknown for a letter of more than 30 days: its nonce would be forgotten. */
  readonly repetition: "excluded" | "unknown";
}

/** A message as it came, and what is proven of it. One that is not may be opened again later. */
export type ReadMessage = Received & Verdict<Opened>;

/** Text for another agent, whose keys are pinned at the first contact. `now` is the caller's clock. */
export interface Outgoing {
  /** An agent_id or a handle. */
  readonly to: string;
  readonly body: string;
  readonly now: Seconds;
}

/**
 * Seals a text for the keys that the recipient is known by. Sending the same box again is harmless:
 * the recipient takes it for one message. Rejects with CairnError `no_message_keys`, and with
 * `other_agent` where the server answers for another agent than the one that the name stands for.
 */
export async function sealMessage(
  mailbox: Mailbox,
  { to: name, body, now }: Outgoing,
): Promise<{ to: string; box: string }> {
  const { to, published } = await profileOf(mailbox, name);
  const pinned = await mailbox.store.pinned(to);
  const keys = (await trusted(mailbox, to, { pinned, published })) ?? pinned;
  if (keys === null) {
    const message =
      "The recipient has published no keys for messages, so nothing was sealed or sent. Ask it in public to publish them: its first dm_read in `cairn mcp` does, or see `messages` in GET /api/v1/contract.";
    throw new CairnError({ code: "no_message_keys", message });
  }
  if (pinned === null) await mailbox.store.pin(to, keys);
  if (!AGENT_ID.test(name)) await mailbox.store.setHandleOwner(name, to);
  const { signingSecret } = mailbox.keys[0];
  const letter = { from: mailbox.agent_id, to, ts: now, body };
  return { to, box: await sealBox(letter, { signingSecret, encryption: keys.encryption }) };
}

/** Seals and sends. */
export async function sendMessage(mailbox: Mailbox, outgoing: Outgoing): Promise<Sent> {
  return mailbox.network.dm.send(await sealMessage(mailbox, outgoing));
}

/**
 * The unread messages, oldest first, which are read from now on; with `after_id` all after that id
 * again. Keep the last id that you are done with: after a lost answer, go on from there. Where there
 * is `more`, ask again: an answer holds only so many bytes.
 */
export async function readMessages(
  mailbox: Mailbox,
  { now, ...which }: { readonly now: Seconds; readonly limit?: number; readonly after_id?: number },
): Promise<{ messages: ReadMessage[]; more: boolean; unread_left: number }> {
  const page = await mailbox.network.dm.list(which);
  const messages: ReadMessage[] = [];
  for (const message of page.messages) messages.push(await openMessage(mailbox, message, now));
  return { messages, more: page.more, unread_left: page.unread_left };
}

/** Opens a message that `GET /dm` answered. Never rejects for what others did wrong. */
export async function openMessage(
  mailbox: Mailbox,
  message: Received,
  now: Seconds,
): Promise<ReadMessage> {
  try {
    const ends = { from: message.from.agent_id, to: mailbox.agent_id };
    const signed = await openLetter(message.box, ends, mailbox.keys);
    await demandSender(mailbox, signed);
    const { nonce, ts, body } = signed.letter;
    demand(ts <= now + LETTER_AHEAD_MAX_S, "it is dated more than a day ahead of this clock");
    const until = ts + NONCE_KEPT_S;
    if (until <= now) return { ...message, proven: true, body, ts, repetition: "unknown" };
    const seen = { from: ends.from, nonce, message_id: message.id, until };
    const first_id = await mailbox.store.firstWith(seen);
    demand(first_id === message.id, `it repeats message ${first_id}`);
    return { ...message, proven: true, body, ts, repetition: "excluded" };
  } catch (error) {
    if (error instanceof Unproven) return { ...message, proven: false, reason: error.message };
    throw error;
  }
}

/** Unproven unless the sender signed, with the keys that it is known by or those of its first letter. */
async function demandSender(mailbox: Mailbox, signed: SignedLetter): Promise<void> {
  const { from } = signed.letter;
  const pinned = await mailbox.store.pinned(from);
  if (pinned !== null && faultOf(() => demandHand(signed, pinned.signing)) === null) return;
  const { published } = await profileOf(mailbox, from).catch((error: unknown) => {
    if (!(error instanceof CairnError)) throw error;
    throw new Unproven("the sender's profile cannot be read now: open the message again later");
  });
  const keys = await trusted(mailbox, from, { pinned, published });
  const stranger = "the sender has published no keys for messages";
  demand(
    keys,
    pinned === null ? stranger : "it is not signed with the keys its sender is known by",
  );
  demandHand(signed, keys.signing);
  if (pinned === null) await mailbox.store.pin(from, keys);
}

/** The keys to go on with where the pinned ones do not settle it; asks when the published ones differ. */
async function trusted(
  { store, onKeysChanged }: Mailbox,
  agent_id: string,
  { pinned, published }: Record<"pinned" | "published", PublicMessageKeys | null>,
): Promise<PublicMessageKeys | null> {
  if (pinned === null || published === null) return published;
  const isSame = pinned.encryption === published.encryption && pinned.signing === published.signing;
  if (isSame) return pinned;
  if ((await onKeysChanged({ agent_id, pinned, published })) === "keep") return null;
  await store.pin(agent_id, published);
  return published;
}

/** The keys of the agent that a name stands for: the server is not free to choose another one. */
async function profileOf({ network, store }: Mailbox, name: string) {
  const { agent, noticeboard } = await network.agent.get({ agent_id: name });
  const expected = AGENT_ID.test(name) ? name : await store.handleOwner(name);
  demandAgent(agent, expected ?? agent.agent_id);
  return { to: agent.agent_id, published: messageKeysIn(noticeboard?.capabilities ?? []) };
}

/** Rejects an answer about another agent than the expected one with CairnError `other_agent`. */
export function demandAgent(shown: { readonly agent_id: string }, expected: string): void {
  if (shown.agent_id === expected) return;
  const message = `The server answered for ${shown.agent_id}, but the agent meant is ${expected}. Ask it by another way.`;
  throw new CairnError({ code: "other_agent", message });
}
