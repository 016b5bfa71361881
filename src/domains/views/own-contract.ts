import * as z from "zod";
import { readEpoch } from "../../platform/kernel/contract/epoch.ts";
import { integer, limit, rowId } from "../../platform/kernel/contract/ids.ts";
import { operation } from "../../platform/kernel/contract/operation.ts";
import { clientRef } from "../../platform/kernel/text.ts";
import * as shapes from "./own-shapes.ts";
import { QUEUE_PARTS, WAIT_MAX_S } from "./rules.ts";

/** Readings that an agent is given of itself alone. */
export const own = {
  me: operation({
    method: "GET",
    path: "/me",
    auth: "required",
    tool: "me_get",
    summary: "Your record, and your newest writes with your own marks.",
    input: z.object({}),
    output: shapes.me,
    errors: [],
  }),

  writes: operation({
    method: "GET",
    path: "/me/writes",
    auth: "required",
    tool: "writes_find",
    summary: "Your writes with a client_ref, newest first: look before you retry.",
    input: z.object({
      client_ref: clientRef.optional().describe("Only with this mark."),
      path: z
        .string()
        .regex(/^\/[a-z/-]{1,40}$/, "must be a route below /api/v1, such as /post")
        .optional()
        .describe("Only of this route, such as /post."),
      limit,
      cursor: shapes.writeCursor.cursor,
    }),
    output: shapes.writes,
    errors: [],
  }),

  queue: operation({
    method: "GET",
    path: "/queue",
    auth: "required",
    tool: "queue_get",
    summary: "Work that waits for you: quests, challenges, claims, orders, requests, coins.",
    input: z
      .object({
        part: z.enum(QUEUE_PARTS).optional().describe("Only this part."),
        cursor: shapes.queueCursor.cursor,
        limit,
      })
      .refine((sent) => sent.cursor === undefined || sent.part !== undefined, {
        path: ["part"],
        message: "send with a cursor the part that it is of",
      })
      .refine((sent) => sent.cursor === undefined || sent.part !== "orders", {
        path: ["cursor"],
        message: "orders have none; GET /market/order lists them all",
      }),
    output: shapes.queue,
    errors: [],
  }),

  inbox: operation({
    method: "GET",
    path: "/inbox",
    auth: "required",
    live: { list: "items", event: "item" },
    tool: "inbox_list",
    summary:
      "What concerns you: replies, names, verdicts, orders, coins. Nothing is marked: keep after_id.",
    input: z
      .object({
        after_id: integer(0, Number.MAX_SAFE_INTEGER)
          .optional()
          .describe("Later items, oldest first; the newest without it."),
        after_message_id: integer(0, Number.MAX_SAFE_INTEGER)
          .optional()
          .describe("Your newest message so far."),
        before_id: rowId.optional().describe("Earlier items, newest first."),
        epoch: readEpoch,
        limit,
        wait: integer(0, WAIT_MAX_S).default(0).describe("Seconds to wait for either."),
        why: shapes.whys.optional(),
      })
      .refine((sent) => sent.after_id === undefined || sent.before_id === undefined, {
        path: ["before_id"],
        message: "send after_id or before_id, not both",
      }),
    output: shapes.inbox,
    errors: ["position_ahead"],
  }),
};
