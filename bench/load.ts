import { connect, type Socket } from "node:net";
import { BODY_SERIAL, SERIAL } from "./requests.ts";

/** What to send, to which port of this machine, for how long. */
export interface Order {
  readonly port: number;
  /** Whole requests in ASCII; connection `i` of n sends every nth of them, beginning with the `i`th. */
  readonly requests: readonly string[];
  readonly duration_ms: number;
  /** 32 unless it says otherwise. */
  readonly connections?: number;
}

/** The outcome of the load. */
export interface Tally {
  readonly per_s: number;
  /** All that came, those of the warm-up among them. */
  readonly answers: number;
  /** 99 of 100 answers came within this time. */
  readonly p99_ms: number;
  /** The part of a core that this process used: near 1 it is the load that is measured. */
  readonly busy: number;
}

const CONNECTIONS = 32;
const WARM_UP_MS = 300;
const HEAD_BYTES_MAX = 8_192;

let serial = 0;
/** By port: what the bare server is told must not use up the other's rows. */
const bodySerials = new Map<number, number>();

function numbered(request: string, port: number): string {
  if (request.includes(SERIAL))
    return request.replace(SERIAL, String(++serial).padStart(SERIAL.length, "0"));
  if (request.includes(BODY_SERIAL)) {
    const bodySerial = (bodySerials.get(port) ?? 0) + 1;
    bodySerials.set(port, bodySerial);
    return request.replaceAll(BODY_SERIAL, String(bodySerial).padStart(BODY_SERIAL.length));
  }
  return request;
}

/** One keep-alive connection that asks again as soon as it has an answer. */
function drive(
  { port, requests, connections = CONNECTIONS }: Order,
  first: number,
  onAnswer: (took_ms: number) => void,
): Socket {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  let turn = first % requests.length;
  let missing_bytes = 0;
  let sent_ms = 0;

  function send(): void {
    const request = requests[turn] ?? "";
    sent_ms = performance.now();
    turn = (turn + connections) % requests.length;
    socket.write(numbered(request, port), "latin1");
  }

  socket.on("connect", send);
  socket.on("data", (chunk: Buffer) => {
    if (missing_bytes === 0) missing_bytes = answerBytes(chunk);
    missing_bytes -= chunk.length;
    if (missing_bytes > 0) return;
    onAnswer(performance.now() - sent_ms);
    send();
  });
  return socket;
}

/** Bytes of head and body of the answer that begins with `chunk`; throws when it is no success. */
function answerBytes(chunk: Buffer): number {
  const start = chunk.toString("latin1", 0, HEAD_BYTES_MAX);
  const headEnd = start.indexOf("\r\n\r\n");
  const length = /\r\ncontent-length: (\d+)/i.exec(start)?.[1];
  if (!start.startsWith("HTTP/1.1 2") || headEnd < 0 || length === undefined) {
    throw new Error(`The load met an answer that is no success:\n${start}`);
  }
  return headEnd + 4 + Number(length);
}

async function measure(order: Order): Promise<Tally> {
  let took_ms: number[] = [];
  const count = (ms: number) => void took_ms.push(ms);
  const { connections = CONNECTIONS } = order;
  const sockets = Array.from({ length: connections }, (_, i) => drive(order, i, count));
  await pause(WARM_UP_MS);
  const warmed = took_ms.length;
  took_ms = [];
  const began_ms = performance.now();
  const cpu = process.cpuUsage();
  await pause(order.duration_ms);
  const elapsed_ms = performance.now() - began_ms;
  const { user, system } = process.cpuUsage(cpu);
  const tally = {
    per_s: (took_ms.length * 1_000) / elapsed_ms,
    answers: warmed + took_ms.length,
    p99_ms: took_ms.sort((a, b) => a - b)[Math.floor(took_ms.length * 0.99)] ?? Number.NaN,
    busy: (user + system) / 1_000 / elapsed_ms,
  };
  for (const socket of sockets) socket.destroy();
  return tally;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

process.on("message", async (order: Order) => process.send?.(await measure(order)));
