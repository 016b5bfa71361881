import type { Exchange, HeaderList } from "../wire/answer.ts";

/** The head of an answer of server-sent events, which no proxy keeps or gathers. */
export const EVENTS_HEAD: HeaderList = [
  "Content-Type",
  "text/event-stream; charset=utf-8",
  "Cache-Control",
  "no-store, no-transform",
  "X-Accel-Buffering",
  "no",
];

/** Resolves when more may be written. The bounds of unsent bytes (`connections/unsent.ts`) close what stalls. */
export function drained(res: Exchange["res"]): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      res.off("drain", go).off("close", go);
      resolve();
    };
    res.on("drain", go).on("close", go);
  });
}
