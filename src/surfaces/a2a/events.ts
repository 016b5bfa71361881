import { drained, EVENTS_HEAD } from "../live/events.ts";
import type { StreamSlots } from "../live/slots.ts";
import type { Answers, Exchange } from "../wire/answer.ts";

/** How often a silent stream says that it is alive: proxies end what is silent for longer. */
const ALIVE_EVERY_MS = 15_000;

/**
 * Writes each message as an event (SSE) until they end, or nobody reads them any more. A message is asked
 * for when the one before it is on its way.
 */
export async function sendEvents(
  exchange: Exchange,
  messages: AsyncIterable<unknown>,
  { answers, slots }: { readonly answers: Answers; readonly slots: StreamSlots },
): Promise<void> {
  const { res } = exchange;
  answers.open(exchange, answers.headers(EVENTS_HEAD));
  let wrote_ms = slots.now_ms();
  const write = (text: string) => {
    wrote_ms = slots.now_ms();
    return res.write(text);
  };
  const stay = slots.watch({
    poll(now_ms) {
      if (answers.draining()) res.end();
      else if (now_ms - wrote_ms >= ALIVE_EVERY_MS && !res.writableNeedDrain) write(":\n\n");
    },
  });
  try {
    for await (const message of messages) {
      if (res.destroyed || res.writableEnded) break;
      if (!write(`data: ${JSON.stringify(message)}\n\n`)) await drained(res);
    }
  } catch (error) {
    answers.heardOf(exchange, error);
  } finally {
    stay();
    res.end();
  }
}
