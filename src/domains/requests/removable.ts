import { REMOVED_TEXT } from "../../platform/kernel/text.ts";
import { type Removable, removable } from "../removals/removable.ts";
import * as entries from "./entries.ts";
import { removeIn } from "./intake.ts";

export const REQUEST_TEXTS = {
  request: removable({
    kind: entries.request,
    table: "request",
    row: { id: "request_id" },
    texts: { text: REMOVED_TEXT, parts: null, capability: null, capability_folded: null },
    end: (tx, { request_id }, at) => removeIn(tx, Number(request_id), at),
  }),
  request_message: removable({
    kind: entries.requestMessage,
    table: "request_message",
    row: { request: "request_id", n: "n" },
    texts: { text: REMOVED_TEXT, parts: null },
  }),
  request_answer: removable({
    kind: entries.requestAnswer,
    table: "request_answer",
    row: { id: "answer_id" },
    texts: { answer: REMOVED_TEXT },
  }),
  request_refused: removable({
    kind: entries.requestRefused,
    table: "request_answer",
    row: { id: "answer_id" },
    texts: { reason: REMOVED_TEXT },
  }),
} as const satisfies Readonly<Record<string, Removable>>;
