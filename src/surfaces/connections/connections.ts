import type { Socket } from "node:net";
import type { Incoming, Outgoing } from "../incoming/incoming.ts";

/** A request that has arrived, and its answer. */
export interface Turn {
  readonly req: Incoming;
  readonly res: Outgoing;
}

/** One that waits for the answers before its own. */
interface HeldTurn extends Turn {
  /** Memory that it takes. */
  readonly bytes: number;
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
  answering: Outgoing | null;
  /** The answer to the request that arrived last. */
  latest: Outgoing | null;
  /** Requests that wait for the answers before theirs. */
  readonly held: HeldTurn[];
  /** Memory that those take, and how much had been read when it was counted last. */
  held_bytes: number;
  counted_bytes: number;
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
    held_bytes: 0,
    counted_bytes: 0,
    block: null,
    quiet_ms: 0,
    seen_bytes: -1,
  };
}
