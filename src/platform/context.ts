import type { ChainAdapter } from "./chain/adapter.ts";
import type { Db, Store, Write } from "./db/engine.ts";
import type { ErrorCode, Rejects } from "./kernel/contract/errors.ts";
import type { Sender, Waiter } from "./kernel/contract/operation.ts";
import type { Micro } from "./kernel/money.ts";
import type { PublicKey } from "./kernel/nano.ts";
import type { Seconds } from "./kernel/time.ts";

/** The network's time: the engine's clock, but never behind the last ledger entry. */
export interface Clock {
  now(): Seconds;
}

/** The same where it ends things: orders, rewards. */
export interface EndingClock extends Clock {
  /** Whether it may end them now: it never does for a command, nor in the first ten minutes after a boot. */
  mayEnd(): boolean;
}

/** What a handler may know of the configuration. */
interface Settings {
  /** Without a slash at the end; appears in answers and links. */
  readonly baseUrl: string;
  /** `https://{slug}.apps.example.net`: where hosted applications are when not at the base URL. */
  readonly appsOrigin: string | null;
  /** Where a static copy of the public log is, as the operator says it. */
  readonly logUrl: string | null;
  /** The ledger's origin line. */
  readonly origin: string;
  readonly powBits: number;
  readonly sealInterval_s: number;
  readonly sealMaxEntries: number;
  /** The Nano account that contributions go to; null when there is none. */
  readonly projectKey: PublicKey | null;
  /** The Nano account that orders are paid to; never the same. */
  readonly escrowKey: PublicKey | null;
  /** Where declared contributions go, as the operator says it; never looked up. */
  readonly addresses: {
    readonly xmr: string | null;
    readonly btc: string | null;
    readonly otherNote: string | null;
  };
  /** The operator's references in hundred-millionths of a US dollar; null where there is none. */
  readonly rates: {
    readonly source: "static" | "coingecko";
    readonly xno_e8: bigint | null;
    readonly xmr_e8: bigint | null;
    readonly btc_e8: bigint | null;
  };
  /** The operator's aim for payouts and refunds; no promise. */
  readonly payWithin_s: Seconds;
  /** The smallest checked contribution that earns a reward. */
  readonly minReward_raw: bigint;
}

/** Whose news a read waits for, and what it has seen of them. */
export interface ConcernWait {
  /** The agent's row. */
  readonly agent: number;
  readonly after_id: number;
  readonly after_message_id: number;
}

/** The entries that a read waits for: whatever comes after one, or some kinds of it. */
export interface EntryWait {
  readonly after_id: number;
  readonly kinds?: readonly string[] | undefined;
}

/** Lets a read wait for the ledger to grow, or for what concerns one agent. */
export interface LedgerSignal {
  /**
   * Resolves to true when there is an entry after `after_id`; to false after `wait_s` seconds, at
   * shutdown, when the client has disconnected, or when another wait displaces it. Entries of other kinds
   * than `kinds` wake a reader once a second at most, to move its position.
   */
  waitForEntry(entry: EntryWait, wait_s: number, waiter?: Waiter): Promise<boolean>;
  /** The same for an item of the agent's inbox, or a message. An entry that does not concern it wakes nobody. */
  waitForConcern(news: ConcernWait, wait_s: number, waiter?: Waiter): Promise<boolean>;
}

/** Whom a reward is charged to where a network-wide number of them is in force. */
export interface Charged {
  readonly share: "newcomers" | "others";
  /** Null where the caller's address is unknown: then no network is charged. */
  readonly sender: Sender | null;
}

/** The network-wide number of rewards an hour, as one process keeps to it. */
export interface Pace {
  /** The number in force; null when there is none. */
  perHour(): number | null;
  /** Whether there is a reward left for this grant. */
  allows(charged: Charged, now: Seconds): boolean;
  /** Takes what `allows` has allowed. */
  charge(charged: Charged, now: Seconds): void;
}

/** The reward pool, as this process knows it between transactions. */
export interface RewardPool {
  /** What it held at the ledger's head a moment ago. */
  balance(): Micro<"coin">;
  /** The network-wide number of rewards an hour, where one is in force. */
  readonly pace: Pace;
  /** How many violations the checks of this process have found. */
  violations(): number;
  /** Rejects with 503 `storage_unavailable` once one of them concerned a balance or the supply. */
  refuseBroken(): void;
}

/** Events that leave neither a row nor an entry behind. */
export const OCCURRENCES = [
  "challenge_solved",
  "challenge_failed",
  "token_refused",
  "leak_stopped",
  "message_refused",
  "connection_closed_slow",
  "connection_refused",
  "wait_displaced",
  "list_cut",
  "reward_braked",
  "rate_limited",
  "registration_refused",
  "quota_refused",
] as const;
export type Occurrence = (typeof OCCURRENCES)[number];

/** Counts for `/protection`, kept to a few seconds and stored by a job. */
export interface Occurrences {
  count(what: Occurrence): void;
  /** Counted by this process and not stored yet. */
  unsaved(what: Occurrence): number;
}

/** Whether somebody may register now; counts registrations for each network of callers. */
export interface Registrations {
  /** Takes one: 0 when it may begin, else seconds until one may. An unknown sender always may. */
  take(sender: Sender | null | undefined): number | Promise<number>;
  /** The operator's pause in force, in which nobody registers; null when there is none. */
  pause(): { readonly ends_at: Seconds; readonly reason: string } | null;
}

/** What agents store in a UTC day, kept to a few seconds and stored by a job. */
export interface StoredBytes {
  /** What one agent may store on a day; null: as much as it wants. */
  readonly perDay_bytes: number | null;
  /** Of an agent today: charged by this process and not stored yet. */
  unsaved(agent: number): number;
  /** How long the disk lasts at the pace of today; null where it is not this service's own. */
  daysLeft(): number | null;
}

/** An entry as it is stored: its text and its leaf. */
export interface SealedEntry {
  readonly ledger_id: number;
  readonly entry: string;
  readonly leaf: Uint8Array;
}

/** A row by which money goes, and that somebody has edited: of an order, or of a transfer that it hides. */
export type EditedRow = { readonly order_id: number } | { readonly txid: string };

/** What a handler is given. All time, randomness and storage come from here. */
export interface Context extends Rejects<never> {
  readonly read: Db;
  readonly snapshot: Store["snapshot"];
  readonly write: Write;
  /**
   * Charges the caller before `work` prepares a write: the texts that it sent, and so many objects as rows. They
   * are given back when nothing is stored. Rejects with what the write itself would reject with.
   */
  readonly chargeAhead: <T>(objects: number, work: () => Promise<T>) => Promise<T>;
  readonly clock: EndingClock;
  /** `n` unpredictable bytes. */
  readonly random: (n: number) => Uint8Array;
  readonly ledgerSignal: LedgerSignal;
  readonly rewardPool: RewardPool;
  readonly occurrences: Occurrences;
  readonly registrations: Registrations;
  readonly storedBytes: StoredBytes;
  /** Null when no Nano node is configured. */
  readonly chain: ChainAdapter | null;
  /** Tells the operator at once of a row that is not what its entries make; of each once. */
  readonly edited: (row: EditedRow) => void;
  /** Whether stored entries are what this node has signed. */
  readonly isProven: (read: Db, entries: readonly SealedEntry[]) => Promise<boolean>;
  readonly settings: Settings;
}

/**
 * What jobs and the operator's commands are given: they have no contract, so every code is theirs. Their `write` takes
 * bodies of every kind, because some pass on those of others.
 */
export type ServiceContext = Context & Rejects<ErrorCode> & Pick<Store, "write">;

/** What a client that has signed in by OAuth may do for its agent. */
export interface Grant {
  readonly id: number;
  /** Of the access token. */
  readonly scope: "read" | "write";
  /** When the access token ends; null: with the grant. */
  readonly expires_at: Seconds | null;
}

/** The agent behind a token. */
export interface Agent {
  /** Its row; never shown. */
  readonly id: number;
  readonly agent_id: string;
  readonly handle: string | null;
  /** The digest of the token that its request came with. */
  readonly token_sha256?: Uint8Array;
  /** How many tokens of the network had ended when that was looked up. */
  readonly ended_tokens?: number;
  /** The grant that the token is of; unset for its permanent token. */
  readonly grant?: Grant;
  /** The number of its act key, if it signs what it does. */
  readonly key?: number;
  /** Until when it counts as a newcomer, as its token's last look-up said; unset: it does. */
  readonly newcomer_until?: Seconds;
}
