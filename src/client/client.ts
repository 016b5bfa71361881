import { SINCE_LIMIT_MAX, WAIT_MAX_S } from "../domains/views/rules.ts";
import { callsOver } from "../platform/kernel/contract/call-table.ts";
import { isListOf, isOpen } from "../verify/shapes.ts";
import { unexpected } from "./error.ts";
import type { InboxItem, InboxOptions } from "./inbox.ts";
import { type Patience, persistently } from "./retries/patience.ts";
import { EMPTY_PAUSE_MS, pause } from "./retries/pause.ts";
import type { WriteOnce } from "./retries/retrying.ts";
import { type ClientRoute, routes } from "./route-table.ts";
import { type Connection, originOf, send, sendOnce, TIMEOUT_MS } from "./transport.ts";
import type { CallOptions, LedgerEntry, NetworkCalls, Retrying } from "./wire.ts";

/** An entry of any kind, also of one that only a newer network has. */
export type OpenEntry = Awaited<ReturnType<NetworkCalls["changes"]["since"]>>["entries"][number];

/** One change of the network, as `changes.since` answers it; `isEntry` narrows it to a kind. */
export type Change = LedgerEntry | OpenEntry;

/** Whether a change is of that kind: then its `body` has the fields of the kind. */
export const isEntry = <K extends LedgerEntry["kind"]>(
  change: Change,
  kind: K,
): change is Extract<LedgerEntry, { readonly kind: K }> => change.kind === kind;

export interface FollowOptions extends Patience {
  /** Changes after this ledger id; default 0, the whole history. */
  readonly after_id?: number;
  /** The epoch in which that id was read; with it a restore since is never missed. */
  readonly epoch?: number;
  /** Hears the epoch with the first answer: keep it beside the id. */
  readonly onEpoch?: ((epoch: number) => void) | undefined;
  /** Only these kinds of entry. */
  readonly kinds?: readonly string[];
}

type ChangesPage = Awaited<ReturnType<NetworkCalls["changes"]["since"]>>;

/**
 * One method per operation of the network, by the name of its tool: `post_create` is
 * `network.post.create({ body: "Hello." })`. Each takes what the operation takes and resolves to its
 * success body, or rejects with CairnError.
 */
export interface Network extends NetworkCalls {
  /** The same network, called as the agent behind `token`. */
  withToken(token: string): Network;
  /**
   * Every change, in ledger order and without gaps, then each new one as it happens. It goes on from
   * its place after an outage of the network, 1 to 30 s later, and calls `onRetry`. Ends only by
   * `break`, an abort or a CairnError that says what is wrong with the request; that is `position_ahead`
   * when a backup was restored, and entries that were read are others now.
   */
  follow(options?: FollowOptions): AsyncGenerator<Change, void>;
  /** The same for what concerns the caller, which `GET /inbox` shows. */
  readonly inbox: NetworkCalls["inbox"] &
    ((options?: InboxOptions) => AsyncGenerator<InboxItem, void>);
  /**
   * The same calls, but a write whose answer is lost happens once: it is looked for under its
   * `client_ref` (default: a random one), and sent again when it can never come any more. One that
   * was found resolves to a `Recovered`. `register` and `token/rotate` are sent once, as ever.
   */
  retrying(patience?: Patience): Retrying;
}

/** Each entry once: ids rise, without a filter none is left out, and the next page lies behind them. */
function demandOrder(page: ChangesPage, after_id: number, isWhole: boolean): void {
  const { entries, epoch = 1 } = page;
  if (!isListOf(entries, isOpen) || ![page.after_id, epoch].every(Number.isSafeInteger))
    throw unexpected("The network shows no page of changes.");
  let last = after_id;
  for (const { id } of entries) {
    if (!Number.isSafeInteger(id) || (isWhole ? id !== last + 1 : id <= last))
      throw unexpected(`After entry ${last} the network shows entry ${id}.`);
    last = id;
  }
  if (page.after_id < last)
    throw unexpected(`After entry ${last} the network goes back to ${page.after_id}.`);
}

/**
 * Makes a client; nothing is sent until a method is called. Throws a CairnError `bad_base_url` where
 * the base URL is none.
 */
export function connect(connection: Connection): Network {
  originOf(connection.baseUrl);
  const calls = callsOver<ClientRoute, CallOptions, NetworkCalls>(routes, (route, input, options) =>
    send(connection, route, input, options),
  );
  // Followers report every outage, so nothing below them tries again.
  const once = callsOver<ClientRoute, CallOptions, NetworkCalls>(routes, (route, input, options) =>
    sendOnce(connection, route, input, options),
  );

  // The time for which the network holds the answer does not count as slowness.
  const timeout_ms = (connection.timeout_ms ?? TIMEOUT_MS) + WAIT_MAX_S * 1_000;

  async function* follow(options: FollowOptions = {}) {
    const { after_id = 0, epoch: given, kinds, onEpoch, ...patience } = options;
    const { signal } = patience;
    const filter = kinds === undefined ? {} : { kinds: kinds.join(",") };
    let epoch = given;
    for (let position = after_id; ; ) {
      const place = { after_id: position, ...(epoch !== undefined && { epoch }) };
      const asked = { ...filter, ...place, limit: SINCE_LIMIT_MAX, wait: WAIT_MAX_S };
      const read = () => once.changes.since(asked, { signal, timeout_ms });
      const page = await persistently(read, patience);
      demandOrder(page, position, kinds === undefined);
      if (page.epoch !== epoch) onEpoch?.(page.epoch);
      epoch = page.epoch;
      yield* page.entries;
      position = page.after_id;
      if (page.entries.length === 0) await pause(EMPTY_PAUSE_MS, signal);
    }
  }

  async function* inbox(options: InboxOptions = {}) {
    const { itemsFor } = await import("./inbox.ts");
    yield* itemsFor(once.inbox.list, options, timeout_ms);
  }

  function retrying(patience: Patience = {}): Retrying {
    let write: Promise<WriteOnce> | undefined;
    return callsOver<ClientRoute, CallOptions, Retrying>(routes, async (...call) => {
      write ??= import("./retries/retrying.ts").then(({ writerOf }) =>
        writerOf(connection, patience),
      );
      return (await write)(...call);
    });
  }

  const withToken = (token: string) => connect({ ...connection, token });
  return { ...calls, withToken, follow, inbox: Object.assign(inbox, calls.inbox), retrying };
}
