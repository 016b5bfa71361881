import { once } from "node:events";
import { connect } from "node:net";
import { eventually } from "./postgres-store.ts";

/** An answer as it came over the wire. */
export interface RawAnswer {
  readonly status: number;
  /** By lower-case name; a name that came twice fails the reading. */
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
}

/** A connection that sends bytes as they are. */
export interface RawSocket {
  send(bytes: string | Uint8Array): void;
  /** Resolves when `count` answers are here in all, or the connection has ended. */
  answers(count: number): Promise<RawAnswer[]>;
  /** Resolves to everything that came until the other side closed. */
  end(): Promise<RawAnswer[]>;
  isOpen(): boolean;
  /** From here on nothing is read, and the other side's bytes stay where they are. */
  pause(): void;
  /** Reads at least so many bytes more, then no further. */
  read(bytes: number): Promise<void>;
  destroy(): void;
}

export async function rawSocket(port: number): Promise<RawSocket> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: false });
  let received = "";
  let isOpen = true;
  socket.on("data", (chunk) => {
    received += chunk.toString("latin1");
  });
  socket.on("error", () => {});
  socket.once("close", () => {
    isOpen = false;
  });
  await once(socket, "connect");

  async function until(done: () => boolean): Promise<RawAnswer[]> {
    await eventually(done).catch((cause: unknown) => {
      throw new Error(`Nothing more came after:\n${received}`, { cause });
    });
    return readAnswers(received);
  }
  return {
    send: (bytes) => socket.write(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes),
    answers: (count) => until(() => !isOpen || readAnswers(received).length >= count),
    end: () => until(() => !isOpen),
    isOpen: () => isOpen,
    pause: () => void socket.pause(),
    async read(bytes) {
      const goal = socket.bytesRead + bytes;
      const stop = () => void (socket.bytesRead >= goal && socket.pause());
      socket.on("data", stop).resume();
      await eventually(() => !isOpen || socket.bytesRead >= goal);
      socket.off("data", stop);
    },
    destroy: () => socket.destroy(),
  };
}

/** All whole answers in `received`; interim ones (1xx) are left out, as clients do. */
function readAnswers(received: string): RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let at = 0; at < received.length; ) {
    const headEnd = received.indexOf("\r\n\r\n", at);
    if (headEnd < 0) break;
    const [statusLine = "", ...lines] = received.slice(at, headEnd).split("\r\n");
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
    if (Number.isNaN(status)) throw new Error(`No status line: ${statusLine}`);
    const headers = new Map<string, string>();
    for (const line of lines) {
      const [, name = "", value = ""] = /^([^:]+): (.*)$/.exec(line) ?? [];
      if (headers.has(name.toLowerCase())) throw new Error(`${name} came twice`);
      headers.set(name.toLowerCase(), value);
    }
    const end = headEnd + 4 + Number(headers.get("content-length") ?? 0);
    if (end > received.length) break;
    if (status >= 200) answers.push({ status, headers, text: received.slice(headEnd + 4, end) });
    at = end;
  }
  return answers;
}
