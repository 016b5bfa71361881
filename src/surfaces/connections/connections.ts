import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** A request that has arrived, and its answer. */
export interface Turn {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

/** Bytes that were written to a connection together and have not all left the process. */
export interface Block {
  readonly began_ms: number;
  readonly bytes: number;
  /** The connection's count of written bytes at the block's end. */
  readonly end: number;
  /** When some of it left last; how many bytes of the connection had left then, and were queued. */
  readonly moved_ms: number;
  readonly left: number;
  readonly queued: number;
}

/** An open connection, as long as it is open. */
export interface Connection {
  readonly socket: Socket;
  /** To whom its unsent bytes are charged: the client's address, or the connection itself. */
  holder: string | object;
  /** The answer in progress, or the last one. */
  answering: ServerResponse | null;
  /** The answer to the request that arrived last. */
  latest: ServerResponse | null;
  /** Requests that wait for the answers before theirs. */
  readonly held: Turn[];
  block: Block | null;
  /** Since when nothing has happened here, and how much had been read then; -1 before the first look. */
  quiet_ms: number;
  seen_bytes: number;
}

/** All open connections of one process. A WeakMap would cost each request 2 µs. */
export type Connections = Map<unknown, Connection>;

export function opened(socket: Socket): Connection {
  return {
    socket,
    holder: socket,
    answering: null,
    latest: null,
    held: [],
    block: null,
    quiet_ms: 0,
    seen_bytes: -1,
  };
}
