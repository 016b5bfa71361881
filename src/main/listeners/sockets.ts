import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Connections } from "../../surfaces/connections/connections.ts";
import { PIPELINE } from "../../surfaces/connections/pipeline.ts";
import { type RoomBounds, roomOf } from "../../surfaces/connections/room.ts";
import { UNSENT, unsentOf } from "../../surfaces/connections/unsent.ts";
import type { StreamSlots } from "../../surfaces/live/slots.ts";
import { type HttpServer, httpServer, type ServerParts } from "../../surfaces/server.ts";
import type { Observer } from "../../surfaces/wire/answer.ts";
import type { Senders } from "../../surfaces/wire/sender.ts";
import type { Load } from "../measures/traffic.ts";
import type { Service } from "../service/open-service.ts";

/** How often connections are looked at: what they leave unread, and how long they are idle. */
const LOOK_EVERY_MS = 250;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms).unref());

export const NO_LOAD: Load = { connections: 0, unsent_bytes: 0, waiting_reads: 0 };

/** A server that reports what its connections hold. */
export interface Sockets extends HttpServer {
  load(): Load;
}

/** The holder of unread bytes: the client's address, also behind a trusted proxy, else the connection. */
export const holderBy =
  (senders: Pick<Senders, "senderOf">) =>
  ({ socket, headersDistinct }: IncomingMessage): string | Socket =>
    senders.senderOf(socket, headersDistinct["x-forwarded-for"]?.join(", "))?.network ?? socket;

/** The connections of one listener: what bounds them, and the server that takes them. */
export function socketsOf(
  { context: { occurrences }, limits: { senders }, ledgerSignal }: Service,
  { now_ms }: Observer,
  bounds: RoomBounds,
) {
  const connections: Connections = new Map();
  const unsent = unsentOf(connections, {
    bounds: UNSENT,
    now_ms,
    holderOf: holderBy(senders),
    closed: () => occurrences.count("connection_closed_slow"),
  });
  const room = roomOf(connections, {
    bounds,
    now_ms,
    senderOf: (socket) => senders.senderOf(socket, undefined),
    refused: () => occurrences.count("connection_refused"),
  });

  /** The server, beside which connections and streams are looked at for as long as it is open. */
  function server(
    parts: Pick<ServerParts, "listener" | "answers" | "timeouts">,
    slots: Pick<StreamSlots, "poll">,
  ): Sockets {
    const inner = httpServer({ ...parts, connections, room, pipeline: PIPELINE, sleep });
    const looking = setInterval(() => {
      unsent.poll();
      room.poll();
      slots.poll();
    }, LOOK_EVERY_MS).unref();
    return {
      ...inner,
      load: () => ({
        connections: connections.size,
        unsent_bytes: unsent.bytes(),
        waiting_reads: ledgerSignal.waiting(),
      }),
      async close() {
        await inner.close();
        clearInterval(looking);
      },
    };
  }

  return { unsent, room, server };
}
