import { LOOKUPS_AT_ONCE, LOOKUPS_WAITING_MAX } from "../chain/open.ts";
import { WAITING_WRITES_MAX } from "../db/engine.ts";
import { FREE_SPACE_LARGE_MIN_BYTES, FREE_SPACE_MIN_BYTES } from "../db/sqlite-disk.ts";
import { A2A_BODY_MAX_BYTES } from "../surfaces/a2a/gate.ts";
import { BODY_MAX_BYTES, DEPTH_MAX } from "../surfaces/body.ts";
import { ARRIVING_MAX_BYTES, IN_FLIGHT_MAX } from "../surfaces/crowd.ts";
import { HEADER_FIELDS_MAX, TARGET_LENGTH_MAX } from "../surfaces/edge.ts";
import { MCP_BODY_MAX_BYTES, MCP_SUBSCRIPTIONS_MAX } from "../surfaces/mcp/gate.ts";
import { CONNECTIONS_MAX, HEADERS_MAX_BYTES, TIMEOUTS } from "../surfaces/server.ts";
import type { LimitTable } from "../views/limit-table.ts";
import { WAITING_READS_MAX } from "./arrivals.ts";

/** What one process guards itself with, whoever asks; none of it is a rate limit. */
export const GUARDS: LimitTable = {
  "every request": {
    body_bytes: ["Body, where its route says nothing else", BODY_MAX_BYTES, "bytes"],
    json_depth: ["Levels of a JSON body", DEPTH_MAX, "levels"],
    target_length: ["Path and query together", TARGET_LENGTH_MAX, "bytes"],
    header_fields: ["Header fields", HEADER_FIELDS_MAX, "fields"],
    headers_bytes: ["Header fields together", HEADERS_MAX_BYTES, "bytes"],
    headers_time: ["Time for the head to arrive", TIMEOUTS.headers_ms, "milliseconds"],
    request_time: ["Time for the whole to arrive", TIMEOUTS.request_ms, "milliseconds"],
    keep_alive: ["An idle connection stays open", TIMEOUTS.keepAlive_ms, "milliseconds"],
  },
  "POST /mcp": {
    mcp_body_bytes: ["Body of a protocol message", MCP_BODY_MAX_BYTES, "bytes"],
    mcp_subscriptions: [
      "Open subscriptions of one process; more are refused",
      MCP_SUBSCRIPTIONS_MAX,
      "streams",
    ],
  },
  "/a2a": {
    a2a_body_bytes: ["Body of a delegated task", A2A_BODY_MAX_BYTES, "bytes"],
  },
  "one process": {
    connections: ["Open connections; more are closed", CONNECTIONS_MAX, "connections"],
    in_flight: ["Requests worked on at once; more answer 503", IN_FLIGHT_MAX, "requests"],
    arriving_bodies: [
      "Bodies that are still arriving, together; more answer 503",
      ARRIVING_MAX_BYTES,
      "bytes",
    ],
    waiting_reads: ["Readers of /since that wait; more answer 503", WAITING_READS_MAX, "requests"],
    waiting_writes: ["Writes that wait; more answer 503", WAITING_WRITES_MAX, "writes"],
    lookups_at_once: ["Look-ups on the chain at once", LOOKUPS_AT_ONCE, "look-ups"],
    lookups_waiting: ["Look-ups that wait; more answer 503", LOOKUPS_WAITING_MAX, "look-ups"],
  },
  "writes on the embedded engine": {
    free_space: [
      "Free disk space (or a 16th of it) under which they answer 503",
      FREE_SPACE_MIN_BYTES,
      "bytes",
    ],
    free_space_large: [
      "The same (or a 4th) for those with a page, a box, a payload or a delivery",
      FREE_SPACE_LARGE_MIN_BYTES,
      "bytes",
    ],
  },
};
