import type { PublicKey } from "../kernel/nano.ts";

/** The checks that a transfer passed before it was accepted; the strongest first. */
export type Proof =
  /** The account's own receiving block: hash, signature, difference of the balances, source. */
  | "receive_signed"
  /** The sending block and its predecessor: both hashes, the send's signature, the amount, the target. */
  | "send_chain"
  /** Hash and signature of what could be had; the amount is the node's word. */
  | "node_reported";

/** What a hash turned out to be, seen from one account. Hashes are in upper case, `from` is an account text. */
export type Lookup =
  | {
      readonly kind: "credited";
      readonly sendHash: string;
      readonly receiveHash: string | null;
      readonly from: string;
      readonly amountRaw: bigint;
      readonly state: "receivable" | "received";
      readonly proof: Proof;
      /** How many endpoints said that it is confirmed. */
      readonly endpoints: number;
    }
  | { readonly kind: "unconfirmed"; readonly sendHash: string }
  | { readonly kind: "not_found" }
  | {
      readonly kind: "not_to_account";
      /** `internal`: it came from the service's own other account, so it is no contribution. */
      readonly reason: "outgoing" | "other_account" | "no_value" | "self" | "internal";
    };

/** What a hash turned out to be as a send of some accounts. */
export type FoundSend =
  | {
      readonly kind: "sent";
      /** An account text. */
      readonly to: string;
      readonly amountRaw: bigint;
      readonly proof: Proof;
    }
  | { readonly kind: "unconfirmed" }
  /** `isCertain`: somebody says so who forgets no block. */
  | { readonly kind: "not_found"; readonly isCertain: boolean }
  /** Another account's block, or one that sends nothing. */
  | { readonly kind: "no_send" };

/**
 * A transfer on the way to, or received by, an account; found but not proven. A node that has forgotten
 * the send may name neither sender nor amount; then both have to be looked up.
 */
export interface Listed {
  /** Of the send, or of the block that received it if the send is not reported completely. */
  readonly hash: string;
  readonly amountRaw: bigint | null;
  /** An account text. */
  readonly from: string | null;
  readonly state: "receivable" | "received";
}

/** Which lists are read, and how far. */
export interface ListRequest {
  /** Less is left out. */
  readonly thresholdRaw: bigint;
  /** Down to this block of the account, or, with null, to its first; null leaves the history out. */
  readonly history: { readonly until: string | null } | null;
}

/** The endpoints' reports on an account, each a complete list. */
export interface Lists {
  /** Everything that any of them lists: each amount that one reports, and the endpoints that list it. */
  readonly entries: readonly (Omit<Listed, "amountRaw"> & {
    readonly amounts: readonly bigint[];
    readonly tellers: readonly string[];
  })[];
  /** The account's own blocks that the quorum reports, newest first, each with the entry that it received. */
  readonly blocks: readonly {
    readonly hash: string;
    readonly received: string | null;
    readonly tellers: readonly string[];
  }[];
}

/** How far an account's sends are read back. */
export interface SendsRequest {
  /** Unix seconds. */
  readonly since: number;
  /** A block of the account that its history must have, if it is read to its end; null when none is known. */
  readonly known: string | null;
}

/** What an account sent, oldest first; found but not proven. */
export interface Sends {
  readonly sends: readonly {
    readonly hash: string;
    /** An account text. */
    readonly to: string;
    readonly amountRaw: bigint;
  }[];
  /** False when there is more than is read, or blocks of which nodes forgot what they did. */
  readonly isWhole: boolean;
}

/** A block, and the endpoints that have told of it. */
export interface ToldBlock {
  readonly hash: string;
  readonly tellers: readonly string[];
}

export interface ChainHealth {
  readonly state: "ok" | "degraded" | "down" | "not_configured";
  readonly endpoints: readonly {
    readonly name: string;
    readonly ok: boolean;
    readonly last_error: string | null;
    readonly block_count: number | null;
  }[];
  /** Unix seconds. */
  readonly last_ok_at: number | null;
  /** How far the clocks of the nodes' peers are ahead of this machine's: the median; null below the quorum. */
  readonly ahead_s: number | null;
  /** Answers so far that contradicted themselves, the chain's rules or another endpoint. */
  readonly contradictions: number;
}

/**
 * One chain, read through nodes that are trusted as little as possible. Every method may throw
 * ChainUnavailable, ChainInconsistent, or the rejection `overloaded`; then nothing is known.
 */
export interface ChainAdapter {
  readonly network: "live" | "dev";
  /** How many endpoints must say the same. */
  readonly quorum: number;
  /**
   * The incoming transfer to `account` that a send or a receive names. `hash`: 64 hex characters, not all zero.
   * `agent` asked for it, else the service itself: agents take turns, and have slots of their own.
   */
  lookup(hash: string, account: PublicKey, signal: AbortSignal, agent?: string): Promise<Lookup>;
  /** The confirmed send of one of the accounts that a hash names. `hash`: 64 hex characters, not all zero. */
  findSend(hash: string, from: readonly PublicKey[], signal: AbortSignal): Promise<FoundSend>;
  /**
   * The transfers that wait for the account and those that it received. Throws ChainUnavailable unless the quorum reports
   * its whole lists: then a payment stays hidden only if all that answered hide it.
   */
  lists(account: PublicKey, request: ListRequest, signal: AbortSignal): Promise<Lists>;
  /** Whether an endpoint shows this block of the account: one that it has signed, or an epoch block. */
  isOwnBlock(hash: string, account: PublicKey, signal: AbortSignal): Promise<boolean>;
  /**
   * Asks endpoints that told of a block, of the account or to it, for its contents. One that cannot show it has
   * invented it: the alarm names it, and it is not asked for a day, while others are enough. Resolves to the others.
   */
  question(told: ToldBlock, account: PublicKey, signal: AbortSignal): Promise<readonly string[]>;
  /** What the account sent since a time. Throws ChainUnavailable unless the quorum reports its history. */
  sends(account: PublicKey, request: SendsRequest, signal: AbortSignal): Promise<Sends>;
  health(): ChainHealth;
}

/** No answer that could be believed: no endpoint, no quorum, the wrong network, or a node that lags. */
export class ChainUnavailable extends Error {
  /** Seconds to the next attempt that may succeed, 5 to 300. */
  readonly retryAfterS: number;

  constructor(retryAfterS: number) {
    super("No Nano node gave an answer that can be believed.");
    this.name = "ChainUnavailable";
    this.retryAfterS = retryAfterS;
  }
}

/** A node said something that cannot be true. */
export class ChainInconsistent extends Error {
  readonly what: string;

  constructor(what: string) {
    super(`A Nano node contradicted itself or the chain: ${what}.`);
    this.name = "ChainInconsistent";
    this.what = what;
  }
}
