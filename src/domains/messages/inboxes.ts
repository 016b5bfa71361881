import type { Context } from "../../platform/context.ts";
import type { Db } from "../../platform/db/engine.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import * as sql from "./queries.ts";
import {
  fitsSender,
  fitsStrangers,
  isFirstBox,
  STRANGERS_UNREAD_BOXES_MAX,
  type Unread,
} from "./rules.ts";

/** Inboxes whose strangers are remembered; past that the oldest look is forgotten. */
const REMEMBERED_MAX = 1_000;

/** Unread boxes from all strangers. */
interface Strangers extends Unread {
  boxes: number;
  bytes: number;
  senders: number;
  /** Unread boxes of senders that wrote since the last look-up. */
  readonly since: Map<number, Unread>;
}

/** A box that is to be left. */
interface Arrival {
  readonly sender: number;
  readonly recipient: number;
  readonly bytes: number;
}

/** How a box may come in: within the bounds, or only if nothing of its sender waits. */
type Entrance = "within_bounds" | "as_first";

/** Whether inboxes have room; what one sender has left is known exactly, all strangers' together to a second. */
interface Inboxes {
  /** Resolves to null when the recipient has blocked the sender, or has no room for what it sends. */
  entranceOf(context: Pick<Context, "read" | "clock">, arrival: Arrival): Promise<Entrance | null>;
  /** Somebody has read its messages, or has written to a stranger: look again. */
  forget(recipient: number): void;
}

/**
 * The sum over all strangers is looked up at most once a second for each inbox, and counted on in
 * between: a row of it would be one that all who write to the same agent wait for. So another
 * process may add what it accepts within a second.
 */
export function inboxesOf(): Inboxes {
  const looks = new Map<number, { readonly at: Seconds; readonly strangers: Promise<Strangers> }>();

  function strangersOf(
    { read, clock }: Pick<Context, "read" | "clock">,
    recipient: number,
  ): Promise<Strangers> {
    const at = clock.now();
    const known = looks.get(recipient);
    if (known?.at === at) return known.strangers;
    const strangers = lookUp(read, recipient);
    strangers.catch(() => looks.delete(recipient));
    looks.delete(recipient); // So that it is the newest.
    looks.set(recipient, { at, strangers });
    const [oldest] = looks.size > REMEMBERED_MAX ? looks.keys() : [];
    if (oldest !== undefined) looks.delete(oldest);
    return strangers;
  }

  return {
    async entranceOf(context, { sender, recipient, bytes }) {
      const pair = await sql.pairOf.first(context.read, { sender, recipient });
      const waiting = { boxes: pair?.boxes ?? 0, bytes: pair?.bytes ?? 0 };
      if (pair?.block_id != null || !fitsSender(waiting, bytes)) return null;
      const isStranger = sender !== recipient && pair?.written_id == null;
      if (!isStranger) return "within_bounds";
      const all = await strangersOf(context, recipient);
      const since = all.since.get(sender) ?? waiting;
      const left = since.boxes > waiting.boxes ? since : waiting; // Some may be on their way.
      const isWithin = fitsStrangers(left, all, bytes);
      if (!isWithin && !isFirstBox(left, bytes)) return null;
      all.since.set(sender, { boxes: left.boxes + 1, bytes: left.bytes + bytes });
      all.boxes++;
      all.bytes += bytes;
      if (left.boxes === 0) all.senders++;
      return isWithin ? "within_bounds" : "as_first";
    },
    forget: (recipient) => void looks.delete(recipient),
  };
}

async function lookUp(read: Db, recipient: number): Promise<Strangers> {
  const limit = STRANGERS_UNREAD_BOXES_MAX;
  const found = await sql.strangersUnread.first(read, { recipient, limit });
  return { boxes: 0, bytes: 0, senders: 0, ...found, since: new Map() };
}
