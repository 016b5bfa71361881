import { EventEmitter, once } from "node:events";
import { Transform, type TransformCallback } from "node:stream";
import { setTimeout } from "node:timers/promises";
import type { McpServerFactory } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { faultOfParameters } from "../../surfaces/mcp/parameter-faults.ts";
import { Stop, USAGE } from "../command/stop.ts";

/** It stays open as long as the host does, so it is not waited for. */
const LISTEN = "subscriptions/listen";

const CANCELLED = "notifications/cancelled";

/** How long answers under way may hold up the end: a host that has closed sees the process gone within a second. */
const END_MAX_MS = 700;

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** Passes everything on but a byte order mark before it, which some shells write: no JSON begins with one. */
function withoutMark() {
  let seen = 0;
  return (chunk: Buffer, _encoding: unknown, done: TransformCallback): void => {
    let from = 0;
    while (seen < BYTE_ORDER_MARK.length && chunk[from] === BYTE_ORDER_MARK[seen]) {
      seen++;
      from++;
    }
    if (from < chunk.length) seen = BYTE_ORDER_MARK.length;
    done(null, chunk.subarray(from));
  };
}

/**
 * Serves the host at standard input and output. Resolves when the host has closed its end and has the answers to
 * what it asked before, at the latest 0.7 seconds after that end.
 */
export async function serveHost(
  factory: McpServerFactory,
  onerror: (error: Error) => void,
): Promise<void> {
  /** The ids of requests without an answer. */
  const asked = new Set<unknown>();
  const answers = new EventEmitter();
  const input = new Transform({
    transform: withoutMark(),
    flush: (done) => void answered().then(() => done()),
  });
  const transport = new StdioServerTransport(input);
  const send = transport.send.bind(transport);
  transport.send = async (message) => {
    const error = faultOfParameters(message);
    await send(error !== null && "error" in message ? { ...message, error } : message);
    if ("id" in message && asked.delete(message.id)) answers.emit("one");
  };
  serveStdio(factory, { transport, onerror });
  const { onmessage } = transport;
  transport.onmessage = (message) => {
    if ("id" in message && "method" in message && message.method !== LISTEN) asked.add(message.id);
    // A cancelled request is not answered.
    if ("method" in message && message.method === CANCELLED)
      asked.delete(Object(message.params).requestId);
    onmessage?.(message);
  };

  async function answered(): Promise<void> {
    await setTimeout(0); // The last message is read by then.
    const ending = new AbortController();
    // Unlike AbortSignal.timeout, it keeps the process alive, which else ends before its answers.
    const late = globalThis.setTimeout(() => ending.abort(), END_MAX_MS);
    while (asked.size > 0 && !ending.signal.aborted)
      await once(answers, "one", { signal: ending.signal }).catch(() => {});
    clearTimeout(late);
  }

  const ended = once(input, "end");
  const broken = once(process.stdout, "error");
  process.stdin.pipe(input);
  process.stdin.once("close", () => input.end()); // A pipe that breaks does not end.
  const [error] = await Promise.race([ended, broken]);
  if (error === undefined) return;
  process.stdin.destroy();
  const { code } = error;
  if (code !== "EPIPE") throw new Stop(USAGE, `The host cannot be answered: ${code}.`);
}
