import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Server, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type ErrorCode, Rejection } from "../platform/kernel/contract/errors.ts";
import { type Connections, opened } from "./connections/connections.ts";
import { type PipelineBounds, pipelineOf } from "./connections/pipeline.ts";
import type { Room } from "./connections/room.ts";
import type { Listener } from "./http.ts";
import { Incoming, type Outgoing } from "./incoming/incoming.ts";
import type { Answers, HeaderList } from "./wire/answer.ts";
import { HEADER_FIELDS_MAX } from "./wire/edge.ts";

export interface Timeouts {
  readonly headers_ms: number;
  /** Of the whole request, its body included. */
  readonly request_ms: number;
  /** How often the two above are looked at: with Node's 30 s they would mean little. */
  readonly checking_ms: number;
  /** Above the 60 s of common proxies, so that it is they who close. */
  readonly keepAlive_ms: number;
  /** How long running requests may take to end when the server closes. */
  readonly closing_ms: number;
}

export const TIMEOUTS: Timeouts = {
  headers_ms: 10_000,
  request_ms: 30_000,
  checking_ms: 1_000,
  keepAlive_ms: 65_000,
  closing_ms: 10_000,
};

export const HEADERS_MAX_BYTES = 16_384;

export interface ServerParts {
  readonly listener: Listener;
  /** The same that the listener answers with. */
  readonly answers: Answers;
  /** Empty at first; the server keeps it. */
  readonly connections: Connections;
  readonly room: Pick<Room, "admits" | "max">;
  readonly timeouts: Timeouts;
  readonly pipeline: PipelineBounds;
  /** Resolves after some milliseconds and keeps no process alive. */
  readonly sleep: (ms: number) => Promise<unknown>;
}

export interface HttpServer {
  /** Port 0 takes any free one. Rejects when the address cannot be had. */
  listen(port: number, host: string): Promise<AddressInfo | string | null>;
  /** Takes the place of a server that listens, with connections of it from which nothing was read. */
  takeOver(taken: Server, waiting: readonly Socket[]): Promise<void>;
  /** Takes no new connection, lets running requests end, answers further ones 503. */
  close(): Promise<void>;
}

/** Node's HTTP server with every limit set, and an answer of ours wherever Node would give its own. */
export function httpServer(parts: ServerParts): HttpServer {
  const { listener, answers, connections, room, timeouts, sleep } = parts;
  const pipeline = pipelineOf(connections, parts.pipeline, ({ req, res }) => listener(req, res));
  const latestOn = (socket: Duplex) => connections.get(socket)?.latest ?? null;

  const server = createServer({
    IncomingMessage: Incoming,
    maxHeaderSize: HEADERS_MAX_BYTES,
    // Node's answer to a missing Host would have no body; `edge` looks for it.
    requireHostHeader: false,
    // Requests without a body, most reads, go without the life of a stream.
    optimizeEmptyRequests: true,
    headersTimeout: timeouts.headers_ms,
    requestTimeout: timeouts.request_ms,
    connectionsCheckingInterval: timeouts.checking_ms,
    keepAliveTimeout: timeouts.keepAlive_ms,
  });
  server.maxConnections = room.max;
  // With a limit, Node would answer a bare 503 on a connection that stays open.
  server.maxRequestsPerSocket = 0;
  // One more than `edge` takes: of a head with more, Node would keep 1,000 while it arrives.
  server.maxHeadersCount = HEADER_FIELDS_MAX + 1;

  const answer: Listener = (req, res) => {
    const connection = connections.get(req.socket);
    // Only these have a body that means something.
    if (req.method !== "POST") req.discard();
    if (connection !== undefined) pipeline.arrive(connection, { req, res });
  };
  server.on("connection", (socket) => {
    if (!room.admits(socket)) {
      refuseAfter(null, socket, rejectionOf("overloaded"));
      return;
    }
    const connection = opened(socket);
    connections.set(socket, connection);
    socket.once("close", () => {
      connections.delete(socket);
      pipeline.forget(connection);
    });
  });
  server.on("request", answer);
  server.on("checkContinue", (req, res) => {
    leaveToSend(req, res);
    answer(req, res);
  });
  // Any Expect but 100-continue; `edge` refuses it.
  server.on("checkExpectation", answer);
  // Node would drop the connection without a word.
  server.on("connect", (_req, socket) => {
    socket.on("error", () => socket.destroy());
    refuseAfter(latestOn(socket), socket, rejectionOf("method_not_allowed"), ALLOW);
  });

  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    const refusal = refusalOf(error.code ?? "");
    const res = latestOn(socket);
    if (res === null || res.req.complete) refuseAfter(res, socket, refusal);
    else if (res.writableFinished) socket.destroy();
    else {
      answers.refuse(answers.begin(res.req, res), refusal);
      // The reader of the rest of the request gets an error, and the socket is closed.
      res.end().once("finish", () => res.req.destroy());
    }
  });

  /** Refuses what never became a request, once the answer before it is out. */
  function refuseAfter(
    res: Outgoing | null,
    socket: Duplex,
    refusal: Rejection,
    extra: HeaderList = [],
  ): void {
    const refuse = () => {
      if (socket.writable) socket.end(answers.refusalText(refusal, extra), () => socket.destroy());
    };
    if (res === null || res.writableFinished) refuse();
    else res.once("close", refuse);
  }

  return {
    async listen(port, host) {
      await once(server.listen(port, host), "listening");
      return server.address();
    },
    async takeOver(taken, waiting) {
      await once(server.listen(taken), "listening");
      for (const socket of waiting) {
        server.emit("connection", socket);
        socket.resume();
      }
    },
    async close() {
      answers.drain();
      const closed = new Promise((resolve) => server.close(resolve));
      await Promise.race([closed, sleep(timeouts.closing_ms)]);
      server.closeAllConnections();
      await closed;
    },
  };
}

/**
 * Tells a client that waits for it to send its body, once somebody begins to read that or has it
 * already. What its announced length refuses is answered before, and never sent (RFC 9110, 10.1.1).
 */
function leaveToSend(req: Incoming, res: Outgoing): void {
  let isTold = false;
  const tell = () => {
    if (!isTold && !res.headersSent) res.writeContinue();
    isTold = true;
  };
  const { "content-length": length = "0", "transfer-encoding": coding } = req.headers;
  // Nobody reads a body that is not announced, and the connection stays open only after leave.
  if (length === "0" && coding === undefined) tell();
  else req.once("asked", tell);
  // A body that came with its head is taken without an event, later in this turn of the event loop.
  setImmediate(() => {
    if (req.complete) tell();
  });
}

const ALLOW: HeaderList = ["Allow", "GET, HEAD, POST, OPTIONS"];

/** What Node's parser and timers complain of; anything else is a bad request. */
const REFUSALS: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: "headers_too_large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "body_too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout",
};

const refusalOf = (fault: string): Rejection =>
  fault === "HPE_INVALID_URL"
    ? new Rejection(
        "bad_request",
        "Percent-encode all that is not ASCII in path and query: caf%C3%A9.",
      )
    : rejectionOf(REFUSALS[fault] ?? "bad_request");

function rejectionOf(code: ErrorCode): Rejection {
  return new Rejection(code, MESSAGES[code] ?? "This is not a well-formed HTTP/1.1 request.");
}

const MESSAGES: Partial<Record<ErrorCode, string>> = {
  headers_too_large: `Target and header fields may have at most ${HEADERS_MAX_BYTES} bytes together.`,
  body_too_large: "Send chunks without extensions.",
  request_timeout: "The request took too long to arrive; send it faster.",
  overloaded: "Too many connections are open from your address; use those again.",
  method_not_allowed: "This is no proxy; use a method that Allow names.",
};
