import type { StreamSlots } from "../live/slots.ts";
import type { Answers, Exchange, HeaderList } from "../wire/answer.ts";

/** How often a silent stream says that it is alive: proxies end what is silent for longer. */
const ALIVE_EVERY_MS = 15_000;

const STREAM_HEAD: HeaderList = [
  "Content-Type",
  "text/event-stream; charset=utf-8",
  "Cache-Control",
  "no-store, no-transform",
  "X-Accel-Buffering",
  "no",
];

/** Writes each message as an event (SSE) until they end, or nobody reads them any more. */
export async function sendEvents(
  exchange: Exchange,
  messages: AsyncIterable<unknown>,
  { answers, slots }: { readonly answers: Answers; readonly slots: StreamSlots },
): Promise<void> {
  const { res } = exchange;
  answers.open(exchange, answers.headers(STREAM_HEAD));
  let wrote_ms = slots.now_ms();
  const write = (text: string) => {
    wrote_ms = slots.now_ms();
    res.write(text);
  };
  const stay = slots.watch({
    look(now_ms) {
      if (answers.draining()) res.end();
      else if (now_ms - wrote_ms >= ALIVE_EVERY_MS && !res.writableNeedDrain) write(":\n\n");
    },
  });
  try {
    for await (const message of messages) {
      if (res.destroyed || res.writableEnded) break;
      write(`data: ${JSON.stringify(message)}\n\n`);
    }
  } catch (error) {
    answers.heardOf(exchange, error);
  } finally {
    stay();
    res.end();
  }
}
