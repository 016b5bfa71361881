import type { Connection, Connections, Turn } from "./connections.ts";

export interface PipelineBounds {
  /** Requests of one connection that may wait for the answers before theirs; the next closes it. */
  readonly connection: number;
  /** The same for all connections of the process; above it, the connection with most is closed. */
  readonly process: number;
  /** Memory of those requests, for all connections; above it, the connection that takes most is closed. */
  readonly process_bytes: number;
}

export const PIPELINE: PipelineBounds = {
  connection: 64,
  process: 16_384,
  process_bytes: 32 * 1024 * 1024,
};

/** A request, and each text of its head, takes so much memory beside its bytes. */
const REQUEST_BYTES = 2_048;
const TEXT_BYTES = 64;

/** Begins the requests of a connection one after another. */
export interface Pipeline {
  /** Begins a request at once if the answer before it has left, else in its turn. */
  arrive(connection: Connection, turn: Turn): void;
  /** Forgets what a closed connection still held. */
  forget(connection: Connection): void;
}

/**
 * One connection has one answer in progress, so a client that does not read costs one answer of
 * memory, however many requests it has pipelined (RFC 9112, 9.3.2 leaves the order of work to us).
 * Nothing is added to a request that comes after the answer before it, as nearly all do.
 */
export function pipelineOf(
  connections: Connections,
  bounds: PipelineBounds,
  begin: (turn: Turn) => void,
): Pipeline {
  let held = 0;
  let held_bytes = 0;

  function arrive(connection: Connection, turn: Turn): void {
    const { answering, socket } = connection;
    if (socket.destroyed) return; // The parser hands on the rest of what it has read.
    connection.latest = turn.res;
    if (connection.held.length > 0 || answering?.writableFinished === false) hold(connection, turn);
    else {
      connection.answering = turn.res;
      begin(turn);
    }
  }

  function hold(connection: Connection, turn: Turn): void {
    if (connection.held.length === 0) {
      connection.counted_bytes = connection.socket.bytesRead;
      connection.answering?.once("close", () => beginNext(connection));
    }
    turn.req.hold();
    const { bytesRead } = connection.socket;
    const bytes =
      REQUEST_BYTES +
      TEXT_BYTES * turn.req.rawHeaders.length +
      (bytesRead - connection.counted_bytes);
    connection.counted_bytes = bytesRead;
    connection.held.push({ ...turn, bytes });
    held++;
    connection.held_bytes += bytes;
    held_bytes += bytes;
    if (connection.held.length > bounds.connection) close(connection);
    else if (held > bounds.process) close(most(({ held: own }) => own.length));
    else if (held_bytes > bounds.process_bytes) close(most((one) => one.held_bytes));
  }

  function beginNext(connection: Connection): void {
    const turn = connection.held.shift();
    if (turn === undefined) return;
    held--;
    forgetBytes(connection, turn.bytes);
    // After `Connection: close` the socket ends, and what it still held was never asked for.
    if (!connection.socket.writable) return;
    connection.answering = turn.res;
    if (connection.held.length > 0) turn.res.once("close", () => beginNext(connection));
    // One that broke while it waited has its refusal already.
    if (!turn.res.headersSent) begin(turn);
  }

  /** Looked for when the process holds too many; closing it frees what took as long to send. */
  function most(sizeOf: (connection: Connection) => number): Connection | undefined {
    let found: Connection | undefined;
    for (const connection of connections.values())
      if (sizeOf(connection) > (found === undefined ? 0 : sizeOf(found))) found = connection;
    return found;
  }

  function forgetBytes(connection: Connection, bytes: number): void {
    held_bytes -= bytes;
    connection.held_bytes -= bytes;
  }

  function forget(connection: Connection): void {
    held -= connection.held.length;
    forgetBytes(connection, connection.held_bytes);
    connection.held.length = 0;
  }

  function close(connection: Connection | undefined): void {
    if (connection === undefined) return;
    forget(connection);
    connection.socket.destroy();
  }

  return { arrive, forget };
}
