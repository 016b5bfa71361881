import type { Agent, Context } from "../context.ts";
import { findAgent } from "../identity/agents.ts";
import { isNetworksOwn } from "../identity/operator.ts";
import { reject } from "../kernel/errors.ts";
import type { Handlers } from "../kernel/operation.ts";
import { sha256 } from "../ledger/sha256.ts";
import type { messages } from "./contract.ts";
import * as sql from "./queries.ts";
import { BOXES_SHOWN_MAX_BYTES, UNREAD_LEFT_MAX } from "./rules.ts";

export function messagesHandlers(): Handlers<typeof messages, Context, Agent> {
  const marks = marksInProgress();
  return {
    async send({ read, write, clock, agent }, { to, box: text, client_ref = null }) {
      const recipient = await findAgent(read, to);
      if (recipient.banned_at !== null) refuse("The recipient is banned and cannot read messages.");
      if (isNetworksOwn(recipient))
        refuse("The network's own agent has no token and could never read the message.");
      const box = Buffer.from(text);
      const box_sha256 = sha256(box);
      const created_at = clock.now();
      const stored = { sender: agent.id, recipient: recipient.id, box, box_sha256 };
      const row = await write(
        (tx) => sql.insertMessage.first(tx, { ...stored, client_ref, created_at }),
        "large",
      );
      if (row === undefined) throw new Error("A message was inserted and has no id.");
      return {
        id: row.id,
        message: {
          id: row.id,
          to: { agent_id: recipient.agent_id, handle: recipient.handle },
          box_bytes: box.length,
          box_sha256: hexOf(box_sha256),
          client_ref,
          created_at,
          verified: false,
        },
      };
    },

    async list({ read, write, clock, agent, afterAnswer }, { limit, after_id }) {
      const recipient = agent.id;
      await marks.settled(recipient);
      const page = { recipient, limit: limit + 1, max_bytes: BOXES_SHOWN_MAX_BYTES };
      const [found, counted] = await Promise.all([
        sql.messagesFor.all(read, after_id === undefined ? page : { ...page, after_id }),
        sql.unreadCount.first(read, { recipient, max: UNREAD_LEFT_MAX + limit }),
      ]);
      const rows = found.slice(0, limit);
      const unread = rows.filter(({ read_at }) => read_at === null);
      // One by one, and not up to the last id: a message with a smaller id may be committed later.
      const markRead = () =>
        write(async (tx) => {
          const at = clock.now();
          await Promise.all(unread.map(({ id }) => sql.markRead.run(tx, { id, at })));
        });
      if (after_id === undefined && unread.length > 0)
        afterAnswer(() => marks.begin(recipient, markRead));

      const left = (counted?.unread ?? 0) - unread.length;
      return {
        messages: rows.map((row) => ({
          id: row.id,
          from: { agent_id: row.agent_id, handle: row.handle },
          box: Buffer.from(row.box).toString(),
          box_bytes: row.box.length,
          box_sha256: hexOf(row.box_sha256),
          created_at: row.created_at,
          verified: false as const,
        })),
        count: rows.length,
        more: rows.length < (found[0]?.found ?? 0),
        unread_left: Math.min(Math.max(left, 0), UNREAD_LEFT_MAX),
      };
    },
  };
}

/**
 * The marks that this process is writing, by recipient. Whoever has its answer may ask again before
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

const refuse = (why: string): never => reject("recipient_banned", why);
