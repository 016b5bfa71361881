import type { Agent, Context } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/engine.ts";
import type { Rejects } from "../../platform/kernel/contract/errors.ts";
import type { Handlers } from "../../platform/kernel/contract/operation.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import { sha256 } from "../../platform/ledger/sha256.ts";
import { findAgent } from "../identity/agents.ts";
import { isNetworksOwn } from "../identity/operator.ts";
import { blockHandlers } from "./blocks.ts";
import { boxCursor, type messages } from "./contract.ts";
import { inboxesOf } from "./inboxes.ts";
import * as sql from "./queries.ts";
import { isBeyondBoxes, knownFirstBoxId, raised } from "./restored.ts";
import { BOXES_SHOWN_MAX_BYTES, UNREAD_LEFT_MAX } from "./rules.ts";

export function messagesHandlers(): Handlers<typeof messages, Context, Agent> {
  const marks = marksInProgress();
  const inboxes = inboxesOf();
  const firstBoxId = knownFirstBoxId();
  return {
    async send(context, { to, box: text, client_ref = null }) {
      const { read, write, clock, occurrences, agent } = context;
      const recipient = await findAgent(context, to);
      if (recipient.banned_at !== null)
        refuse(context, "The recipient is banned and cannot read messages.");
      if (isNetworksOwn(recipient))
        refuse(context, "The network's own agent has no token and could never read the message.");
      const first_id = await firstBoxId(read);
      const box = Buffer.from(text);
      const arrival = { sender: agent.id, recipient: recipient.id, bytes: box.length };
      const entrance = await inboxes.entranceOf({ read, clock }, arrival);
      if (entrance === null) occurrences.count("message_refused");
      const countBox = entrance === null ? refuseArrival(context) : COUNTING[entrance];
      const box_sha256 = sha256(box);
      const created_at = clock.now();
      const stored = { sender: agent.id, recipient: recipient.id, box, box_sha256 };
      const { id } = await write(async (tx) => {
        const [counted, inserted] = await Promise.all([
          countBox.run(tx, arrival),
          sql.insertMessage.first(tx, { ...stored, client_ref, created_at }),
        ]);
        return counted === 0 ? refuseArrival(context) : raised(tx, inserted?.id, first_id);
      }, "large");
      inboxes.forget(agent.id); // Whom it writes to is no stranger to it any more.
      return {
        id,
        message: {
          id,
          to: { agent_id: recipient.agent_id, handle: recipient.handle },
          box_bytes: box.length,
          box_sha256: hexOf(box_sha256),
          client_ref,
          created_at,
          verified: false,
        },
      };
    },

    async list(context, { limit, after_id: asked_id, cursor, from }) {
      const { read, write, clock, agent, afterAnswer } = context;
      const recipient = agent.id;
      const after_id = cursor?.all ? cursor.id : asked_id;
      const from_id = cursor?.all === 0 ? { unread_after_id: cursor.id } : {};
      const sender = from === undefined ? {} : { sender: (await findAgent(context, from)).id };
      await marks.settled(recipient);
      const begin = after_id === undefined ? from_id : { after_id };
      const page = { recipient, limit: limit + 1, max_bytes: BOXES_SHOWN_MAX_BYTES, ...sender };
      const [found, counted] = await Promise.all([
        sql.messagesFor.all(read, { ...page, ...begin }),
        sql.unreadCount.first(read, { recipient, max: UNREAD_LEFT_MAX + limit, ...sender }),
      ]);
      if (found.length === 0 && asked_id !== undefined)
        await demandBoxPosition(context, asked_id, firstBoxId);
      const rows = found.slice(0, limit);
      const unread = rows.filter(({ read_at }) => read_at === null);
      const markRead = async () => {
        await write((tx) => markAll(tx, { recipient, unread, at: clock.now() }));
        inboxes.forget(recipient);
      };
      if (after_id === undefined && unread.length > 0)
        afterAnswer(() => marks.begin(recipient, markRead));

      const last = rows.at(-1);
      const more = rows.length < (found[0]?.found ?? 0);
      const all = after_id === undefined ? 0 : 1;
      const left = (counted?.unread ?? 0) - unread.length;
      return {
        messages: rows.map(showBox),
        count: rows.length,
        more,
        next: more && last !== undefined ? boxCursor.after({ all, id: last.id }) : null,
        unread_left: Math.min(Math.max(left, 0), UNREAD_LEFT_MAX),
      };
    },

    ...blockHandlers,
  };
}

/** Rejects with `position_ahead` for what no box of this network can have been. */
async function demandBoxPosition(
  { read, reject }: Pick<Context, "read"> & Rejects<"position_ahead">,
  after_id: number,
  firstBoxId: ReturnType<typeof knownFirstBoxId>,
): Promise<void> {
  if (!(await isBeyondBoxes(read, after_id, await firstBoxId(read)))) return;
  const details = [{ field: "after_id", problem: "is after the last box of the network" }];
  return reject(
    "position_ahead",
    "No box of this network has had this id, or a backup was restored since. Go on after the last box that you know.",
    details,
  );
}

/** A stored box as its recipient sees it. */
const showBox = (row: Awaited<ReturnType<typeof sql.messagesFor.all>>[number]) => ({
  id: row.id,
  from: { agent_id: row.agent_id, handle: row.handle },
  box: Buffer.from(row.box).toString(),
  box_bytes: row.box.length,
  box_sha256: hexOf(row.box_sha256),
  created_at: row.created_at,
  verified: false as const,
});

/** The update that counts an incoming box; it changes no row when the bound is reached after all. */
const COUNTING = { within_bounds: sql.countBox, as_first: sql.countFirstBox } as const;

interface Reading {
  readonly recipient: number;
  readonly unread: readonly {
    readonly id: number;
    readonly sender: number;
    readonly box: Uint8Array;
  }[];
  readonly at: Seconds;
}

/** Marks boxes as read, and takes those that were not marked meanwhile from what waits. */
async function markAll(tx: Tx, { recipient, unread, at }: Reading): Promise<void> {
  // One by one, and not up to the last id: a message with a smaller id may be committed later.
  const marked = await Promise.all(unread.map(({ id }) => sql.markRead.run(tx, { id, at })));
  const fresh = unread.filter((_, i) => marked[i] === 1);
  for (const [sender, boxes] of Map.groupBy(fresh, (row) => row.sender)) {
    const bytes = boxes.reduce((sum, { box }) => sum + box.length, 0);
    const some = { recipient, sender, boxes: boxes.length, bytes };
    if ((await sql.uncountSome.run(tx, some)) === 0)
      await sql.uncountAll.run(tx, { recipient, sender });
  }
}

/**
 * The marks that this process is writing, by recipient. A caller that has its answer may ask again before
 * its mark is stored: it waits here, and so is not given the same messages twice.
 */
function marksInProgress() {
  const waiting = new Map<number, Promise<unknown>>();
  return {
    settled: (recipient: number) => waiting.get(recipient),
    begin(recipient: number, write: () => Promise<unknown>): Promise<unknown> {
      const mark = write();
      const all = Promise.allSettled([waiting.get(recipient), mark]).then(() => {
        if (waiting.get(recipient) === all) waiting.delete(recipient);
      });
      waiting.set(recipient, all);
      return mark;
    },
  };
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

const refuse = ({ reject }: Rejects<"recipient_banned">, why: string): never =>
  reject("recipient_banned", why);

/** The same words for a block and for a full inbox: which of them it is stays with the recipient. */
const refuseArrival = ({ reject }: Rejects<"recipient_refuses">): never =>
  reject(
    "recipient_refuses",
    "The recipient takes no more of your messages now. Try again later, or ask to be written to.",
  );
