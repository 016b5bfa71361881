import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Block, Connection, Connections } from "./connections.ts";

const MIB = 1024 * 1024;

export interface UnsentBounds {
  /** A connection on which nothing moves for so long is closed. */
  readonly stalled_ms: number;
  /** A block of bytes must leave within `stalled_ms` and a second for each of these. */
  readonly slowest_bytesPerS: number;
  /** What one client may leave unread; above it, its large answers are 503. */
  readonly holder_bytes: number;
  /** From here on the large answers of the clients that hold most are 503. */
  readonly crowded_bytes: number;
  /** Above it, connections are closed until `crowded_bytes` are left. */
  readonly total_bytes: number;
}

export const UNSENT: UnsentBounds = {
  stalled_ms: 30_000,
  slowest_bytesPerS: 8 * 1024,
  holder_bytes: 16 * MIB,
  crowded_bytes: 192 * MIB,
  total_bytes: 256 * MIB,
};

/** Answers up to this length are never refused for what is unsent. */
export const SMALL_ANSWER_BYTES = 64 * 1024;

/** Holders are compared by so much: the largest answer is smaller, so one answer makes none large. */
const SIZE_CLASS_BYTES = 2 * MIB;

/** Bytes that were written to connections and have not left the process, bounded in number and time. */
export interface Unsent {
  /** Whether a large answer to this request may be written now. */
  admits(req: IncomingMessage): boolean;
  /** A large answer to it was written. */
  written(req: IncomingMessage): void;
  /** Closes who reads too slowly, and who holds too much. To be called a few times a second. */
  poll(): void;
  bytes(): number;
}

export interface UnsentParts {
  readonly bounds: UnsentBounds;
  /** Only runs forward. */
  readonly now_ms: () => number;
  /** To whom the answer of a request is charged: its address, or its connection. */
  readonly holderOf: (req: IncomingMessage) => Connection["holder"];
  /** Told of each connection that was closed. */
  readonly closed: () => void;
}

export function unsentOf(
  connections: Connections,
  { bounds, now_ms, holderOf, closed }: UnsentParts,
): Unsent {
  const byHolder = new Map<Connection["holder"], number>();
  let total_bytes = 0;

  const heldBy = ({ holder }: Connection): number => byHolder.get(holder) ?? 0;

  function charge(connection: Connection, bytes: number): void {
    total_bytes += bytes;
    byHolder.set(connection.holder, heldBy(connection) + bytes);
  }

  /** A reset, not an end: the kernel would go on holding what the client does not read. */
  function close({ socket }: Connection): void {
    socket.resetAndDestroy();
    closed();
  }

  function poll(): void {
    const now = now_ms();
    const waiting: Behind[] = [];
    total_bytes = 0;
    byHolder.clear();
    for (const connection of connections.values()) {
      const block = blockOf(connection, now);
      connection.block = block;
      if (block === null) continue;
      if (isTooSlow(block, now, bounds)) close(connection);
      else {
        charge(connection, connection.socket.writableLength);
        waiting.push({ connection, moved_ms: block.moved_ms });
      }
    }
    closeExcess(waiting);
  }

  /** The largest holders first; among those of a size, what has not moved for longest. */
  function closeExcess(waiting: Behind[]): void {
    const isAnyOver = byHolder.values().some((bytes) => bytes > bounds.holder_bytes);
    const goal_bytes = total_bytes > bounds.total_bytes ? bounds.crowded_bytes : total_bytes;
    if (!isAnyOver && goal_bytes === total_bytes) return;
    const sizes = new Map(
      byHolder.entries().map(([holder, bytes]) => [holder, Math.floor(bytes / SIZE_CLASS_BYTES)]),
    );
    const sizeOf = ({ connection }: Behind) => sizes.get(connection.holder) ?? 0;
    waiting.sort((a, b) => sizeOf(b) - sizeOf(a) || a.moved_ms - b.moved_ms);
    for (const { connection } of waiting) {
      if (heldBy(connection) <= bounds.holder_bytes && total_bytes <= goal_bytes) continue;
      charge(connection, -connection.socket.writableLength);
      close(connection);
    }
  }

  return {
    admits(req) {
      const connection = connections.get(req.socket);
      if (connection === undefined) return true;
      connection.holder = holderOf(req);
      const bytes = heldBy(connection);
      if (bytes >= bounds.holder_bytes) return false;
      return total_bytes < bounds.crowded_bytes || bytes * byHolder.size < total_bytes;
    },
    written(req) {
      const connection = connections.get(req.socket);
      if (connection === undefined || connection.socket.writableLength === 0) return;
      connection.holder = holderOf(req);
      charge(connection, connection.socket.writableLength);
    },
    poll,
    bytes: () => total_bytes,
  };
}

interface Behind {
  readonly connection: Connection;
  readonly moved_ms: number;
}

/** The block that a connection is at; null when all has left. A later block comes next. */
function blockOf({ socket, block }: Connection, now_ms: number): Block | null {
  const buffered = socket.writableLength;
  if (buffered === 0) return null;
  const queued = queuedIn(socket);
  const left = socket.bytesWritten - buffered;
  if (block === null || left >= block.end) {
    const { bytesWritten: end } = socket;
    return { began_ms: now_ms, moved_ms: now_ms, bytes: buffered, end, left, queued };
  }
  const hasMoved = left !== block.left || queued !== block.queued;
  return hasMoved ? { ...block, moved_ms: now_ms, left, queued } : block;
}

function isTooSlow({ began_ms, moved_ms, bytes }: Block, now_ms: number, bounds: UnsentBounds) {
  const { stalled_ms, slowest_bytesPerS } = bounds;
  const whole_ms = stalled_ms + (bytes / slowest_bytesPerS) * 1_000;
  return now_ms - moved_ms >= stalled_ms || now_ms - began_ms >= whole_ms;
}

/**
 * Bytes of the write in progress that the kernel has not taken. `writableLength` counts a write until
 * it is done as a whole: without this figure, by which Node's own socket timeout goes, too, a client
 * that steadily reads one large answer would look as if it stood still.
 */
function queuedIn(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, "_handle");
  const size: unknown =
    typeof handle === "object" && handle !== null ? Reflect.get(handle, "writeQueueSize") : 0;
  return typeof size === "number" ? size : 0;
}
