import { contracts } from "../contracts.ts";
import type { LedgerEntry } from "../entries.ts";
import { type Answer, type Calls, callsOf, type OldCalls, withOldNames } from "../kernel/calls.ts";
import type { Operation } from "../kernel/operation.ts";
import { SINCE_LIMIT_MAX } from "../views/contract.ts";
import { WAIT_MAX_S } from "../views/rules.ts";
import { type Patience, persistently } from "./patience.ts";
import { pause } from "./pause.ts";
import { RELEASED_NAMES } from "./released-names.ts";
import {
  type FindWrites,
  networkTime,
  type Recovered,
  type Retrying,
  writeOnce,
} from "./retrying.ts";
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

export interface FollowOptions extends Patience {
  /** Changes after this ledger id; 0, the whole history, unless told. */
  readonly after_id?: number;
  /** Only these kinds of entry. */
  readonly kinds?: readonly string[];
}

/** What concerns the caller. */
export type InboxItem = Answer<typeof contracts.views.inbox>["items"][number];

export interface InboxOptions extends Patience {
  /** Items after this ledger id; the newest 20 first unless told. */
  readonly after_id?: number;
  /** Only these reasons. */
  readonly why?: readonly string[];
  /** Hears how many messages are unread when a new one has come. */
  readonly onMessages?: (unread: number) => void;
}

type Input = Readonly<Record<string, unknown>>;
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
   * Every change, in ledger order and without gaps, then each new one as it happens. It goes on from
   * its place after an outage of the network, 1 to 30 s later, and tells `onRetry`. Ends only by
   * `break`, an abort or a CairnError that says what is wrong with the request.
   */
  follow(options?: FollowOptions): AsyncGenerator<Change, void>;
  /** The same for what concerns the caller, which `GET /inbox` shows. */
  readonly inbox: Named["inbox"] & ((options?: InboxOptions) => AsyncGenerator<InboxItem, void>);
  /**
   * The same calls, but a write whose answer is lost happens once: it is looked for under its
   * `client_ref` (a random one unless told), and sent again when it can never come any more. One that
   * was found resolves to a `Recovered`. `register` and `token/rotate` are sent once, as ever.
   */
  retrying(patience?: Patience): Retrying;
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

  // The time for which the network holds the answer does not count as slowness.
  const timeout_ms = (connection.timeout_ms ?? TIMEOUT_MS) + WAIT_MAX_S * 1_000;

  async function* follow({ after_id = 0, kinds, ...patience }: FollowOptions = {}) {
    const { signal } = patience;
    const filter = kinds === undefined ? {} : { kinds: kinds.join(",") };
    for (let position = after_id; ; ) {
      const asked = { ...filter, after_id: position, limit: SINCE_LIMIT_MAX, wait: WAIT_MAX_S };
      const read = () => calls.changes.since(asked, { signal, timeout_ms });
      const page = await persistently(read, patience);
      yield* page.entries;
      position = page.after_id;
      if (page.count === 0) await pause(EMPTY_PAUSE_MS, signal);
    }
  }

  async function* inbox({ after_id, why, onMessages, ...patience }: InboxOptions = {}) {
    const { signal } = patience;
    const filter = why === undefined ? {} : { why: why.join(",") };
    let position: { after_id?: number; after_message_id?: number } =
      after_id === undefined ? {} : { after_id };
    for (;;) {
      const wait = position.after_message_id === undefined ? 0 : WAIT_MAX_S;
      const asked = { ...filter, ...position, wait };
      const page = await persistently(
        () => calls.inbox.list(asked, { signal, timeout_ms }),
        patience,
      );
      yield* page.items;
      const { after_message_id = 0 } = position;
      if (page.after_message_id > after_message_id) onMessages?.(page.unread_messages);
      position = { after_id: page.after_id, after_message_id: page.after_message_id };
      if (page.count === 0 && wait > 0) await pause(EMPTY_PAUSE_MS, signal);
    }
  }

  function retrying(patience: Patience = {}): Retrying {
    const findBy =
      (signal: AbortSignal | undefined): FindWrites =>
      (asked) =>
        calls.writes.find(asked, { signal });
    const time = networkTime(findBy(patience.signal), patience);
    const once = (operation: Operation, input: Input, options: CallOptions = {}) => {
      const call = { ...options, signal: options.signal ?? patience.signal };
      if (!("not_after" in operation.input.shape)) return send(connection, operation, input, call);
      const sending = {
        ...patience,
        signal: call.signal,
        send: (...sent: [Operation, Input]) => send(connection, ...sent, call),
        findWrites: findBy(call.signal),
        time,
      };
      return writeOnce(sending, operation, input);
    };
    return callsOf<typeof contracts, CallOptions, Recovered>(contracts, once);
  }

  const withToken = (token: string) => connect({ ...connection, token });
  return { ...calls, withToken, follow, inbox: Object.assign(inbox, calls.inbox), retrying };
}
