import { readFileSync } from "node:fs";
import type { LimitTable } from "../../domains/views/limits/table.ts";
import {
  LOOKUPS_AT_ONCE,
  LOOKUPS_PER_AGENT,
  LOOKUPS_WAITING_MAX,
} from "../../platform/chain/open.ts";
import { WAITING_WRITES_MAX } from "../../platform/db/engine.ts";
import { FLOOR_BYTES, LARGE_FLOOR_BYTES } from "../../platform/db/sqlite/disk.ts";
import { A2A_BODY_MAX_BYTES } from "../../surfaces/a2a/gate.ts";
import { PIPELINE } from "../../surfaces/connections/pipeline.ts";
import { type RoomBounds, roomWithin } from "../../surfaces/connections/room.ts";
import { UNSENT } from "../../surfaces/connections/unsent.ts";
import { TOKENS_MAX } from "../../surfaces/dispatch/invoke.ts";
import { DROPPED_MAX_BYTES, PIECES_FREE } from "../../surfaces/incoming/incoming.ts";
import {
  STREAMS_MAX,
  STREAMS_PER_AGENT,
  STREAMS_PER_NETWORK,
  STREAMS_WITHOUT_TOKEN_MAX,
  STREAMS_WITHOUT_TOKEN_PER_NETWORK,
} from "../../surfaces/live/slots.ts";
import { AHEAD_MAX_BYTES, STREAM_LIFE_MS } from "../../surfaces/live/stream.ts";
import { TOOL_ANSWER_MAX_BYTES } from "../../surfaces/mcp/answer-cap.ts";
import { MCP_BODY_MAX_BYTES, MCP_MEMBERS_MAX } from "../../surfaces/mcp/gate.ts";
import { HEADERS_MAX_BYTES, TIMEOUTS } from "../../surfaces/server.ts";
import { BODY_MAX_BYTES, DEPTH_MAX, MEMBERS_MAX, VALUES_MAX } from "../../surfaces/wire/body.ts";
import { HEADER_FIELDS_MAX, TARGET_LENGTH_MAX } from "../../surfaces/wire/edge.ts";
import {
  ARRIVING_MAX_BYTES,
  ARRIVING_PER_AGENT_BYTES,
  ARRIVING_PER_NETWORK_BYTES,
  IN_FLIGHT_MAX,
} from "../../surfaces/wire/in-flight-limit.ts";
import {
  WAITS_PER_ADDRESS,
  WAITS_PER_AGENT,
  WAITS_PER_NETWORK,
} from "../../surfaces/wire/waiter.ts";
import type { Configuration } from "../settings/settings.ts";
import { WAITING_READS_MAX } from "./wait-room.ts";

/** What the connections of the network's listener and of the operators' have room for. */
export interface Rooms {
  readonly network: RoomBounds;
  readonly operators: RoomBounds;
}

/** Files, pipes and sockets that the process may have open, by the system's limit. */
export function handlesMax(): number {
  try {
    const limit = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
    return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
  } catch {
    return Number.POSITIVE_INFINITY; // A system without /proc has no such low limits.
  }
}

/**
 * Handles that no connection takes: an idle service has 34, its four snapshots and the workers that check criteria
 * up to 40 more; the rest is for the signer's files, backups, and calls to Nano nodes and witnesses.
 */
const RESERVED_HANDLES = 96;
/** Connections to PostgreSQL beside those of the two pools. */
const OTHER_SESSIONS = 3;
/** However low the limit is, somebody has to be able to ask. */
const CONNECTIONS_MIN = 16;
/** Of the handles for connections. */
const OPERATORS_PART = 0.25;

/** The connections that fit beside what the service itself needs, with so many handles in all. */
export function roomsOf(
  {
    databaseUrl,
    databaseReadUrl,
    databaseConnections,
  }: Pick<Configuration, "databaseUrl" | "databaseReadUrl" | "databaseConnections">,
  handles: number,
): Rooms {
  const pools = (databaseUrl === null ? 0 : 2) + (databaseReadUrl === null ? 0 : 1);
  const sessions = pools * databaseConnections + (pools === 0 ? 0 : OTHER_SESSIONS);
  const free = Math.max(CONNECTIONS_MIN, handles - RESERVED_HANDLES - sessions);
  const operators = roomWithin(Math.floor(free * OPERATORS_PART));
  return { operators, network: roomWithin(free - operators.process) };
}

/** The bounds of one process, for all callers; none of them is a rate limit. */
export const processLimits = (room: RoomBounds): LimitTable => ({
  ...OTHERS,
  "one process": { ...connectionLimits(room), ...OTHERS["one process"] },
});

const connectionLimits = (room: RoomBounds): LimitTable[string] => ({
  connections: ["Open connections; more are closed", room.process, "connections"],
  connections_address: [
    "Open connections of one known address; more are closed after a 503",
    room.address,
    "connections",
  ],
  connections_crowded: [
    "Open connections from which on idle ones are closed, and each answer closes its own",
    room.crowded,
    "connections",
  ],
  connections_idle: [
    "A connection is idle after so long without a byte, while there are so many",
    room.idle_ms,
    "milliseconds",
  ],
});

/** All but those of its connections. */
const OTHERS: LimitTable = {
  "every request": {
    body_bytes: ["Body, where its route says nothing else", BODY_MAX_BYTES, "bytes"],
    json_values: ["Values of a JSON body, nested ones too", VALUES_MAX, "values"],
    json_members: ["Members of its objects, together", MEMBERS_MAX, "members"],
    json_depth: ["Levels of a JSON body", DEPTH_MAX, "levels"],
    target_length: ["Path and query together", TARGET_LENGTH_MAX, "bytes"],
    header_fields: ["Header fields", HEADER_FIELDS_MAX, "fields"],
    headers_bytes: ["Header fields together", HEADERS_MAX_BYTES, "bytes"],
    headers_time: ["Time for the head to arrive", TIMEOUTS.headers_ms, "milliseconds"],
    request_time: ["Time for the whole to arrive", TIMEOUTS.request_ms, "milliseconds"],
    body_pieces: [
      "Chunks of a body, and one more for each 32 bytes; more answer 413",
      PIECES_FREE,
      "chunks",
    ],
    body_unwanted: [
      "Read of an unwanted body before the connection closes",
      DROPPED_MAX_BYTES,
      "bytes",
    ],
    tokens: ["Strings of one input that look like tokens", TOKENS_MAX, "strings"],
    keep_alive: ["An idle connection stays open", TIMEOUTS.keepAlive_ms, "milliseconds"],
  },
  "GET /since, GET /inbox": {
    waits_agent: ["Waits of one agent; one more ends its oldest", WAITS_PER_AGENT, "requests"],
    waits_address: [
      "Waits of one address, or of one connection without one; likewise",
      WAITS_PER_ADDRESS,
      "requests",
    ],
    waits_network: [
      "Waits of one network, by all its agents; likewise",
      WAITS_PER_NETWORK,
      "requests",
    ],
  },
  "streams of GET /since and GET /inbox": {
    streams_network: ["Streams of one network; more answer 503", STREAMS_PER_NETWORK, "streams"],
    streams_network_without_token: [
      "Those without a token; more answer 503",
      STREAMS_WITHOUT_TOKEN_PER_NETWORK,
      "streams",
    ],
  },
  "one connection": {
    pipelined: [
      "Requests that wait for the answers before theirs; one more closes the connection",
      PIPELINE.connection,
      "requests",
    ],
    unread_time: [
      "A connection on which no byte of an answer is read for so long is closed",
      UNSENT.stalled_ms,
      "milliseconds",
    ],
    unread_speed: [
      "A whole answer must be read at this speed, after the time above",
      UNSENT.slowest_bytesPerS,
      "bytes a second",
    ],
    unread_bytes: [
      "What one client may leave unread; its large reads then answer 503",
      UNSENT.holder_bytes,
      "bytes",
    ],
  },
  "POST /mcp": {
    mcp_body_bytes: ["Body of a protocol message", MCP_BODY_MAX_BYTES, "bytes"],
    mcp_answer_bytes: [
      "A tool's list ends there, with more, unless limit is sent; a larger item goes alone",
      TOOL_ANSWER_MAX_BYTES,
      "bytes",
    ],
    mcp_members: ["Members of one of its objects; arguments", MCP_MEMBERS_MAX, "members"],
  },
  "/a2a": {
    a2a_body_bytes: ["Body of a delegated task", A2A_BODY_MAX_BYTES, "bytes"],
  },
  "one process": {
    in_flight: ["Requests worked on at once; more answer 503", IN_FLIGHT_MAX, "requests"],
    arriving_bodies: [
      "Bodies that are still arriving, together; above it, the client with most gets 503",
      ARRIVING_MAX_BYTES,
      "bytes",
    ],
    arriving_agent: ["Those of one agent; more answer 503", ARRIVING_PER_AGENT_BYTES, "bytes"],
    arriving_network: [
      "Those of one network; more answer 503",
      ARRIVING_PER_NETWORK_BYTES,
      "bytes",
    ],
    pipelined_together: [
      "Pipelined requests that wait; above it the connection with most is closed",
      PIPELINE.process,
      "requests",
    ],
    pipelined_bytes: ["Their memory; likewise", PIPELINE.process_bytes, "bytes"],
    unread_crowded: [
      "Unread answers, together, from which large reads of those with most answer 503",
      UNSENT.crowded_bytes,
      "bytes",
    ],
    unread_together: [
      "Above it, connections that leave most unread are closed",
      UNSENT.total_bytes,
      "bytes",
    ],
    waiting_reads: [
      "Waiting reads; one more ends the oldest of the client with most",
      WAITING_READS_MAX,
      "requests",
    ],
    streams: [
      "Streams; one more ends one of the client with most, or answers 503",
      STREAMS_MAX,
      "streams",
    ],
    streams_without_token: [
      "Streams without a token; likewise",
      STREAMS_WITHOUT_TOKEN_MAX,
      "streams",
    ],
    streams_agent: ["Streams of one agent; more answer 503", STREAMS_PER_AGENT, "streams"],
    stream_life: ["A stream ends after", STREAM_LIFE_MS, "milliseconds"],
    stream_ahead: ["What a stream writes ahead of its reader", AHEAD_MAX_BYTES, "bytes"],
    waiting_writes: ["Writes that wait; more answer 503", WAITING_WRITES_MAX, "writes"],
    lookups_at_once: ["Look-ups on the chain at once for agents", LOOKUPS_AT_ONCE, "look-ups"],
    lookups_agent: [
      "Look-ups of one agent that run or wait; more answer 503",
      LOOKUPS_PER_AGENT,
      "look-ups",
    ],
    lookups_waiting: ["Look-ups that wait; more answer 503", LOOKUPS_WAITING_MAX, "look-ups"],
  },
  "writes on the embedded engine": {
    free_space: [
      "Free disk space (or a 16th of it) under which they answer 503",
      FLOOR_BYTES,
      "bytes",
    ],
    free_space_large: [
      "The same (or a 4th) for those with a page, a box, a payload or a delivery",
      LARGE_FLOOR_BYTES,
      "bytes",
    ],
  },
};
