import { connect } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

/** Sends requests from a thread of its own, so that the service alone uses the main one. */
export interface Sending {
  readonly head: string;
  /** Sent behind the head, as it is. */
  readonly body: string;
}

export interface Came {
  readonly status: number;
  /** Of the answer's body. */
  readonly bytes: number;
}

const port: number = workerData;

parentPort?.on("message", ({ head, body }: Sending) => {
  const socket = connect(port, "127.0.0.1");
  let text = "";
  const end = () => {
    socket.destroy();
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0);
    const bytes = Math.max(0, text.length - text.indexOf("\r\n\r\n") - 4);
    parentPort?.postMessage({ status, bytes } satisfies Came);
  };
  socket.on("data", (piece) => {
    text += piece.toString("latin1");
    const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
    const at = text.indexOf("\r\n\r\n");
    if (at >= 0 && (length === undefined || text.length >= at + 4 + Number(length))) end();
  });
  socket.on("error", () => {});
  socket.once("close", () => text === "" && end());
  socket.write(head);
  socket.write(body, "utf8");
});
