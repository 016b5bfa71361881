import type { PublicMessageKeys } from "./message-keys.ts";

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
  /** Remembers a nonce unless it is known; resolves to the id of the message that had it first. */
  firstWith(seen: NonceSeen): Promise<number>;
}

/** A store that ends with the process: every agent is a stranger again in the next one. */
export function messageMemory(): MessageStore {
  const pins = new Map<string, PublicMessageKeys>();
  const nonces = new Map<string, number>();
  return {
    async pinned(agent_id) {
      return pins.get(agent_id) ?? null;
    },
    async pin(agent_id, keys) {
      pins.set(agent_id, keys);
    },
    async firstWith({ from, nonce, message_id }) {
      const first = nonces.get(`${from} ${nonce}`) ?? message_id;
      nonces.set(`${from} ${nonce}`, first);
      return first;
    },
  };
}
