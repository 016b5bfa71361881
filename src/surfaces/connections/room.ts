import type { Socket } from "node:net";
import type { Sender } from "../../platform/kernel/contract/operation.ts";
import type { Connection, Connections } from "./connections.ts";

export interface RoomBounds {
  /** Open connections of one process; the system closes more without an answer. */
  readonly process: number;
  /** Open connections of one known address; more are closed after a 503. */
  readonly address: number;
  /** From here on, idle connections are closed, and answers close theirs. */
  readonly crowded: number;
  /** A connection on which nothing has happened for so long is idle. */
  readonly idle_ms: number;
}

const CONNECTIONS_MAX = 10_000;
const PER_ADDRESS_MAX = 256;
/** Parts of all connections: where it becomes crowded, and what one address may have where there are few. */
const CROWDED_PART = 0.8;
const ADDRESS_PART = 0.5;

/** The bounds where the process has so many handles for connections. */
export const roomWithin = (handles: number): RoomBounds => {
  const process = Math.min(CONNECTIONS_MAX, handles);
  return {
    process,
    address: Math.min(PER_ADDRESS_MAX, Math.ceil(process * ADDRESS_PART)),
    crowded: Math.floor(process * CROWDED_PART),
    idle_ms: 5_000,
  };
};

/** The bounds where the system has none that are lower. */
export const ROOM: RoomBounds = roomWithin(Number.POSITIVE_INFINITY);

/** An IPv6 /48 holds 65,536 of the /64 that count as an address, so it has a bound of its own. */
const ADDRESSES_PER_SITE = 4;

/** The connections that a process has room for: no client takes them all, and idle ones give way. */
export interface Room {
  /** Open connections; the system closes more without an answer. */
  readonly max: number;
  /** Counts a new connection, until it closes. False when its address has too many. */
  admits(socket: Socket): boolean;
  /** Whether there are so many connections that answers should close theirs. */
  isCrowded(): boolean;
  /** Closes idle connections in a crowd. To be called a few times a second. */
  poll(): void;
}

export interface RoomParts {
  readonly bounds: RoomBounds;
  /** Only runs forward. */
  readonly now_ms: () => number;
  /** Null when the client is unknown, as behind a proxy: then nobody is charged. */
  readonly senderOf: (socket: Socket) => Sender | null;
  /** Told of each connection that was closed because its address has too many. */
  readonly refused: () => void;
}

export function roomOf(
  connections: Connections,
  { bounds, now_ms, senderOf, refused }: RoomParts,
): Room {
  const counts = new Map<string, number>();

  const countOf = (name: string | null | undefined): number =>
    name == null ? 0 : (counts.get(name) ?? 0);

  /** Connections that were opened under the earlier name count as well. */
  function isFull({ network, site, earlier }: Sender): boolean {
    const ofAddress = countOf(network) + countOf(earlier?.network);
    const ofSite = countOf(site) + countOf(earlier?.site);
    return ofAddress >= bounds.address || ofSite >= bounds.address * ADDRESSES_PER_SITE;
  }

  function add(name: string | null, n: number): void {
    if (name === null) return;
    const count = countOf(name) + n;
    if (count === 0) counts.delete(name);
    else counts.set(name, count);
  }

  return {
    max: bounds.process,
    admits(socket) {
      const sender = senderOf(socket);
      if (sender === null) return true;
      if (isFull(sender)) {
        refused();
        return false;
      }
      const { network, site } = sender;
      for (const name of [network, site]) add(name, 1);
      socket.once("close", () => {
        for (const name of [network, site]) add(name, -1);
      });
      return true;
    },
    isCrowded: () => connections.size >= bounds.crowded,
    poll() {
      const now = now_ms();
      for (const connection of connections.values()) see(connection, now);
      const excess = connections.size - bounds.crowded + 1;
      if (excess <= 0) return;
      const idle = [...connections.values()].filter((one) => now - one.quiet_ms >= bounds.idle_ms);
      idle.sort((a, b) => a.quiet_ms - b.quiet_ms);
      for (const { socket } of idle.slice(0, excess)) socket.destroy();
    },
  };
}

/** Notes since when a connection is quiet: nothing was read, and no request waits for its answer. */
function see(connection: Connection, now_ms: number): void {
  const { socket, answering, held } = connection;
  const isQuiet = held.length === 0 && answering?.writableFinished !== false;
  const { bytesRead } = socket;
  if (isQuiet && bytesRead === connection.seen_bytes) return;
  connection.seen_bytes = bytesRead;
  connection.quiet_ms = now_ms;
}
