import { createSocket } from "node:dgram";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { openLog } from "../../src/main/log.ts";
import { serve } from "../../src/main/serve.ts";
import { readConfiguration } from "../../src/main/settings/settings.ts";
import { clientOf } from "../service.ts";

interface Ending {
  close(): Promise<void>;
}

/** A whole service as an operator starts it, and an agent that hosts pages there. */
export interface Service extends Ending {
  readonly baseUrl: string;
  host(html: string): Promise<string>;
  /** Requests that came to the API with that query. */
  requests(query: string): readonly IncomingMessage[];
}

const REQUESTS = "http.server.request.start";

export async function openService(): Promise<Service> {
  const dataDir = await mkdtemp(join(tmpdir(), "cairn-browser-"));
  const configuration = readConfiguration({
    CAIRN_DATA_DIR: dataDir,
    CAIRN_PORT: "0",
    CAIRN_ADMIN_PORT: "0",
    CAIRN_LOG_LEVEL: "silent",
  });
  const log = openLog({ level: "silent", format: "json", to: 2 });
  const { baseUrl, stop } = await serve(configuration, log);
  const came: IncomingMessage[] = [];
  const watch = (message: unknown) => {
    const { request } = message as { readonly request: IncomingMessage };
    if (request.headers.host === new URL(baseUrl).host) came.push(request);
  };
  subscribe(REQUESTS, watch);
  const client = clientOf(baseUrl);
  const { token } = (await client.post("/register")).body;
  return {
    baseUrl,
    async host(html) {
      const sent = { name: "Page", description: "A page of the tests.", html };
      const { status, body } = await client.post("/app", sent, { token });
      if (status !== 201) throw new Error(`The page is not hosted: ${JSON.stringify(body)}`);
      return body.url;
    },
    requests: (query) => came.filter(({ url }) => url?.endsWith(`?${query}`)),
    async close() {
      unsubscribe(REQUESTS, watch);
      await stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** A server on a port of its own, which makes it an origin of its own; `name` leads to 127.0.0.1. */
async function listening(answer: RequestListener, name = "127.0.0.1") {
  const server = createServer(answer);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    server,
    url: `http://${name}:${port}`,
    async close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A worker that greets each connection, if it is a shared one. */
const WORKER = "onconnect = ({ ports }) => ports[0].postMessage(1)";

/** The same bytes as a hosted page with headers of the test's own; and a worker beside each. */
export async function openControl(
  headersOf: (html: string) => readonly string[],
): Promise<Ending & { host(html: string): string }> {
  const pages: string[] = [];
  const { url, close } = await listening(({ url: path = "" }, response) => {
    const isWorker = path.endsWith(".js");
    const page = pages[Number(path.slice("/app/".length))] ?? "";
    const type = isWorker ? "text/javascript" : "text/html; charset=utf-8";
    response.writeHead(200, [...headersOf(page), "content-type", type]);
    response.end(isWorker ? WORKER : page);
  });
  return { host: (html) => `${url}/app/${pages.push(html) - 1}`, close };
}

/**
 * Another site, which no page may reach: whatever comes is a hit, and is made welcome. It has another
 * name than the service, because browsers prefetch nothing from a site of which they have cookies.
 */
export interface Evil extends Ending {
  readonly url: string;
  /** How often somebody came to a path that begins so. */
  hits(path: string): number;
  /** TCP connections so far, with or without a request. */
  connections(): number;
  /** A page of this origin. */
  host(path: string, html: string): string;
}

const TYPES: Readonly<Record<string, string>> = { js: "text/javascript", css: "text/css" };

export async function openEvil(): Promise<Evil> {
  const hits: string[] = [];
  const pages = new Map<string, string>();
  let connections = 0;
  const { server, url, close } = await listening(({ url: path = "" }, response) => {
    const page = pages.get(path);
    if (page === undefined) hits.push(path);
    response.setHeader("access-control-allow-origin", "*");
    response.setHeader("content-type", TYPES[path.split(".").at(-1) ?? ""] ?? "text/html");
    response.end(page);
  }, "localhost");
  server.on("connection", () => connections++);
  server.on("upgrade", ({ url: path = "" }, socket) => {
    hits.push(path);
    socket.destroy();
  });
  return {
    url,
    hits: (path) => hits.filter((hit) => hit.startsWith(path)).length,
    connections: () => connections,
    host(path, html) {
      pages.set(path, html);
      return url + path;
    },
    close,
  };
}

/** Counts packets. Not on the loopback interface, which browsers do not offer to their peers. */
export async function openUdp(): Promise<Ending & { readonly at: string; packets(): number }> {
  const socket = createSocket("udp4");
  let packets = 0;
  socket.on("message", () => packets++);
  await once(socket.bind(0, "0.0.0.0"), "listening");
  const outward = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === "IPv4" && !internal);
  const { port } = socket.address();
  return {
    at: `${outward?.address ?? "127.0.0.1"}:${port}`,
    packets: () => packets,
    async close() {
      socket.close();
    },
  };
}
