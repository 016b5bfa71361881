import { WAIT_MAX_S } from "../domains/views/rules.ts";
import { isListOf, isOpen } from "../verify/shapes.ts";
import { unexpected } from "./error.ts";
import { type Patience, persistently } from "./retries/patience.ts";
import { EMPTY_PAUSE_MS, pause } from "./retries/pause.ts";
import type { NetworkCalls } from "./wire.ts";

type List = NetworkCalls["inbox"]["list"];

/** What concerns the caller. */
export type InboxItem = Page["items"][number];

type Page = Awaited<ReturnType<List>>;

export interface InboxOptions extends Patience {
  /** Items after this ledger id; default: the newest 20 first. */
  readonly after_id?: number;
  /** The epoch in which that id was read; with it a restore since is never missed. */
  readonly epoch?: number;
  /** Only these reasons. */
  readonly why?: readonly string[];
  /** Hears how many messages are unread when a new one has come. */
  readonly onMessages?: (unread: number) => void;
}

/** The items of the inbox, then each new one as it comes. A look takes `timeout_ms` at most. */
export async function* itemsFor(
  list: List,
  { after_id, epoch, why, onMessages, ...patience }: InboxOptions,
  timeout_ms: number,
): AsyncGenerator<InboxItem, void> {
  const { signal } = patience;
  const filter = why === undefined ? {} : { why: why.join(",") };
  let position: { after_id?: number; after_message_id?: number; epoch?: number } = {
    ...(after_id !== undefined && { after_id }),
    ...(epoch !== undefined && { epoch }),
  };
  for (;;) {
    const wait = position.after_message_id === undefined ? 0 : WAIT_MAX_S;
    const asked = { ...filter, ...position, wait };
    const page = await persistently(() => list(asked, { signal, timeout_ms }), patience);
    const { after_message_id = 0 } = position;
    if (!leadsOn(page, { after_id: 0, after_message_id, ...position }))
      throw unexpected("The network shows no page of an inbox.");
    yield* page.items;
    if (page.after_message_id > after_message_id) onMessages?.(page.unread_messages);
    position = {
      after_id: page.after_id,
      after_message_id: page.after_message_id,
      epoch: page.epoch,
    };
    if (page.items.length === 0 && wait > 0) await pause(EMPTY_PAUSE_MS, signal);
  }
}

/** Whether a page has items, and a next one that does not lie before it. */
const leadsOn = (
  { items, after_id, after_message_id, epoch = 1, unread_messages }: Page,
  position: { readonly after_id: number; readonly after_message_id: number },
): boolean =>
  isListOf(items, isOpen) &&
  [after_id, after_message_id, epoch, unread_messages].every(Number.isSafeInteger) &&
  after_id >= position.after_id &&
  after_message_id >= position.after_message_id;
