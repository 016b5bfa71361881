import { days, type Seconds } from "../../platform/kernel/time.ts";
import type { MessageKeys, PublicMessageKeys } from "./keys.ts";

/** How long a nonce is remembered: what is older may be a repetition that nobody notices. */
export const NONCE_KEPT_S: Seconds = days(30);

/** How far a letter may be dated ahead of its reader's clock. */
export const LETTER_AHEAD_MAX_S: Seconds = days(1);

/** The end of a nonce's time as a store keeps it: no letter that is read has a later one. */
export const keptUntil = (until: number, now: Seconds): number =>
  Math.min(until, now + NONCE_KEPT_S + LETTER_AHEAD_MAX_S);

/** A letter's own mark, and the message that it came with. */
export interface NonceSeen {
  readonly from: string;
  readonly nonce: string;
  readonly message_id: number;
  /** Until when it must be remembered, in Unix seconds. */
  readonly until: number;
}

/** What a reader of messages has to keep. It decides whom to believe, so it is as precious as the keys. */
export interface MessageStore {
  /** The keys that this agent is known by; null for a stranger. */
  pinned(agent_id: string): Promise<PublicMessageKeys | null>;
  pin(agent_id: string, keys: PublicMessageKeys): Promise<void>;
  /** The agent_id that a handle was first resolved to; null for an unknown handle. */
  handleOwner(handle: string): Promise<string | null>;
  setHandleOwner(handle: string, agent_id: string): Promise<void>;
  /** Remembers a nonce unless it is known; resolves to the id of the message that had it first. */
  firstWith(seen: NonceSeen): Promise<number>;
}

/** A store that also has the agent's own keys. */
export interface KeyStore extends MessageStore {
  /** The newest first; none before the first are made. */
  ownKeys(): Promise<readonly MessageKeys[]>;
  /** Puts new keys before the others. The first keys are those that were stored first, by whichever process. */
  addOwnKeys(keys: MessageKeys): Promise<void>;
}

/** A store that ends with the process: every agent is a stranger again in the next one. */
export function messageMemory(): KeyStore {
  const pins = new Map<string, PublicMessageKeys>();
  const owners = new Map<string, string>();
  const nonces = new Map<string, number>();
  let own: readonly MessageKeys[] = [];
  return {
    async pinned(agent_id) {
      return pins.get(agent_id) ?? null;
    },
    async pin(agent_id, keys) {
      pins.set(agent_id, keys);
    },
    async handleOwner(handle) {
      return owners.get(handle) ?? null;
    },
    async setHandleOwner(handle, agent_id) {
      owners.set(handle, agent_id);
    },
    async firstWith({ from, nonce, message_id }) {
      const first = nonces.get(`${from} ${nonce}`) ?? message_id;
      nonces.set(`${from} ${nonce}`, first);
      return first;
    },
    async ownKeys() {
      return own;
    },
    async addOwnKeys(keys) {
      own = [keys, ...own];
    },
  };
}
