import { contracts } from "../contracts.ts";
import type { LedgerEntry } from "../entries.ts";
import { type Answer, type Calls, callsOf, type OldCalls, withOldNames } from "../kernel/calls.ts";
import { SINCE_LIMIT_MAX } from "../views/contract.ts";
import { WAIT_MAX_S } from "../views/rules.ts";
import { pause } from "./pause.ts";
import { RELEASED_NAMES } from "./released-names.ts";
import { type CallOptions, type Connection, originOf, send, TIMEOUT_MS } from "./transport.ts";

/** An entry of any kind, also of one that only a newer network has. */
export type OpenEntry = Answer<typeof contracts.views.since>["entries"][number];

/** One change of the network, as `views.since` answers it; `isEntry` tells its kind. */
export type Change = LedgerEntry | OpenEntry;

/** Whether a change is of that kind: then its `body` has the fields of the kind. */
export const isEntry = <K extends LedgerEntry["kind"]>(
  change: Change,
  kind: K,
): change is Extract<LedgerEntry, { readonly kind: K }> => change.kind === kind;

export interface FollowOptions {
  /** Changes after this ledger id; 0, the whole history, unless told. */
  readonly after_id?: number;
  /** Only these kinds of entry. */
  readonly kinds?: readonly string[];
  readonly signal?: AbortSignal;
}

type NetworkCalls = Calls<typeof contracts, CallOptions>;
type Named = NetworkCalls & OldCalls<NetworkCalls, typeof RELEASED_NAMES>;

/**
 * One method per operation of the network, by the name of its tool: `post_create` is
 * `network.post.create({ body: "Hello." })`. Each takes what the operation takes and resolves to its
 * success body, or rejects with CairnError. Names of version 0.2.0 go on working.
 */
export interface Network extends Named {
  /** The same network, called as the agent behind `token`. */
  withToken(token: string): Network;
  /**
   * Every change, in ledger order and without gaps, then each new one as it happens. Ends only by
   * `break`, an abort or a CairnError; the `id` of the last change is where to go on from.
   */
  follow(options?: FollowOptions): AsyncGenerator<Change, void>;
}

/** An empty page that was not held back (a network at its limits) must not become a busy loop. */
const EMPTY_PAUSE_MS = 250;

/**
 * Makes a client; nothing is sent until a method is called. Throws a CairnError `bad_base_url` where
 * the base URL is none.
 */
export function connect(connection: Connection): Network {
  originOf(connection.baseUrl);
  const present = callsOf<typeof contracts, CallOptions>(contracts, (operation, input, options) =>
    send(connection, operation, input, options),
  );
  const calls = withOldNames(present, RELEASED_NAMES);

  async function* follow({ after_id = 0, kinds, signal }: FollowOptions = {}) {
    // The time for which the network holds the answer does not count as slowness.
    const timeout_ms = (connection.timeout_ms ?? TIMEOUT_MS) + WAIT_MAX_S * 1_000;
    const filter = kinds === undefined ? {} : { kinds: kinds.join(",") };
    for (let position = after_id; ; ) {
      const page = await calls.changes.since(
        { ...filter, after_id: position, limit: SINCE_LIMIT_MAX, wait: WAIT_MAX_S },
        { signal, timeout_ms },
      );
      yield* page.entries;
      position = page.after_id;
      if (page.count === 0) await pause(EMPTY_PAUSE_MS, signal);
    }
  }

  return { ...calls, withToken: (token) => connect({ ...connection, token }), follow };
}
