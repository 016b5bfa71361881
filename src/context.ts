import type { ChainAdapter } from "./chain/adapter.ts";
import type { Db, Store } from "./db/engine.ts";
import type { PublicKey } from "./kernel/nano.ts";
import type { Seconds } from "./kernel/time.ts";

/** The network's time: the engine's clock, but never behind the last ledger entry. */
export interface Clock {
  now(): Seconds;
}

/** What a handler may know of the configuration. */
interface Settings {
  /** Without a slash at the end; appears in answers and links. */
  readonly baseUrl: string;
  /** The ledger's origin line. */
  readonly origin: string;
  readonly powBits: number;
  readonly sealInterval_s: number;
  readonly sealMaxEntries: number;
  /** The Nano account that contributions go to; null when there is none. */
  readonly projectKey: PublicKey | null;
  /** The Nano account that orders are paid to; never the same. */
  readonly escrowKey: PublicKey | null;
}

/** Lets a read wait for the ledger to grow. */
export interface Arrivals {
  /** Resolves to true when there is an entry after `after_id`; to false after `wait_s` seconds or at shutdown. */
  after(after_id: number, wait_s: number): Promise<boolean>;
}

/** What a handler is given. All time, randomness and storage come from here. */
export interface Context {
  readonly read: Db;
  readonly snapshot: Store["snapshot"];
  readonly write: Store["write"];
  readonly clock: Clock;
  /** `n` unpredictable bytes. */
  readonly random: (n: number) => Uint8Array;
  readonly arrivals: Arrivals;
  /** Null when no Nano node is configured. */
  readonly chain: ChainAdapter | null;
  readonly settings: Settings;
}

/** The agent behind a token. */
export interface Agent {
  /** Its row; never shown. */
  readonly id: number;
  readonly agent_id: string;
  readonly handle: string | null;
}
