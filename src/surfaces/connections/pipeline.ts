import type { Connection, Connections, Turn } from "./connections.ts";

export interface PipelineBounds {
  /** Requests of one connection that may wait for the answers before theirs; the next closes it. */
  readonly connection: number;
  /** The same for all connections of the process; above it, the connection with most is closed. */
  readonly process: number;
}

export const PIPELINE: PipelineBounds = { connection: 64, process: 16_384 };

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
    if (connection.held.length === 0)
      connection.answering?.once("close", () => beginNext(connection));
    connection.held.push(turn);
    held++;
    if (connection.held.length > bounds.connection) close(connection);
    else if (held > bounds.process) close(longest());
  }

  function beginNext(connection: Connection): void {
    const turn = connection.held.shift();
    if (turn === undefined) return;
    held--;
    // After `Connection: close` the socket ends, and what it still held was never asked for.
    if (!connection.socket.writable) return;
    connection.answering = turn.res;
    if (connection.held.length > 0) turn.res.once("close", () => beginNext(connection));
    // One that broke while it waited has its refusal already.
    if (!turn.res.headersSent) begin(turn);
  }

  /** Looked for when the process holds too many; closing it frees what took as long to send. */
  function longest(): Connection | undefined {
    let most: Connection | undefined;
    for (const connection of connections.values())
      if (connection.held.length > (most?.held.length ?? 0)) most = connection;
    return most;
  }

  function forget(connection: Connection): void {
    held -= connection.held.length;
    connection.held.length = 0;
  }

  function close(connection: Connection | undefined): void {
    if (connection === undefined) return;
    forget(connection);
    connection.socket.destroy();
  }

  return { arrive, forget };
}
