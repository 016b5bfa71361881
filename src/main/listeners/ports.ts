import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import type { Seconds } from "../../platform/kernel/time.ts";
import type { HttpServer } from "../../surfaces/server.ts";
import { wrong } from "../conditions/reasons.ts";
import { handlesMax } from "../service/process-limits.ts";
import type { Configuration } from "../settings/settings.ts";

/** The two addresses of a service, each with what it is called and the flag that moves it. */
const LISTENERS = {
  network: { title: "the network", flag: "--port" },
  operators: { title: "the operators' listener", flag: "--admin-port" },
} as const;

type Listener = (typeof LISTENERS)[keyof typeof LISTENERS];
type Address = Pick<Configuration, "host" | "port">;

/** Rejects with a sentence when the address cannot be had. */
export async function listening(server: HttpServer, at: Address): Promise<void> {
  await server.listen(at.port, at.host).catch((error: unknown) => {
    throw refused(error, LISTENERS.network, at);
  });
}

/** A port that is taken while the service starts. */
export interface TakenPort {
  /** Also where any free one was asked for. */
  readonly port: number;
  /** Gives port and waiting connections to the server of the service. Nobody is refused meanwhile. */
  handTo(server: HttpServer): Promise<void>;
  /** Frees the port. After `handTo` it is the server's. */
  release(): Promise<void>;
}

/** A request of the network that comes while the service starts waits so long, then it is refused. */
const HELD_MS = 5_000;
/** More connections than these are closed, or than this part of the handles that the system gives. */
const CONNECTIONS_MAX = 1_000;
const HANDLES_PART = 0.25;
const HEAD_MAX_MS = 2_000;

const IS_STARTING = wrong("starting");

const json = (status: string, body: object, ...fields: string[]): string => {
  const text = JSON.stringify(body);
  const head = ["content-type: application/json", `content-length: ${text.length}`, ...fields];
  return [`HTTP/1.1 ${status}`, ...head, "connection: close", "", text].join("\r\n");
};

const STARTING = json(
  "503 Service Unavailable",
  { ok: false, error: "overloaded", message: IS_STARTING.sentence },
  "retry-after: 1",
);

/** A service that starts is alive, so that no probe ends it while it migrates; it is not ready. */
const probed = (head: string, since: Seconds): string =>
  /^\w+ \/healthz[ ?]/.test(head)
    ? json("200 OK", { ok: true, reasons: [], findings: [] })
    : json("503 Service Unavailable", {
        ok: false,
        reasons: [IS_STARTING.sentence],
        findings: [{ ...IS_STARTING, state: "fault", since }],
      });

/** Takes the network's port before anything else, so that a taken one leaves nothing behind. */
export const takeNetworkPort = (
  { host, port }: Address,
  held_ms: number = HELD_MS,
): Promise<TakenPort> =>
  taken(LISTENERS.network, { host, port }, (socket) => {
    const timer = setTimeout(() => {
      socket.resume();
      socket.end(STARTING);
    }, held_ms);
    socket.once("close", () => clearTimeout(timer));
    return () => clearTimeout(timer);
  });

/** The same of the operators' port, where probes get an immediate answer. */
export const takeOperatorsPort = ({
  adminHost: host,
  adminPort: port,
}: Pick<Configuration, "adminHost" | "adminPort">): Promise<TakenPort> => {
  const began_at = Math.floor(Date.now() / 1_000);
  return taken(LISTENERS.operators, { host, port }, (socket) => {
    socket.setTimeout(HEAD_MAX_MS, () => socket.destroy());
    socket.once("data", (head) => socket.end(probed(String(head), began_at)));
    socket.resume();
    return null;
  });
};

/** `hold` is called with each connection. What it returns lets go of it again; null for one that is answered. */
async function taken(
  listener: Listener,
  { host, port }: Address,
  hold: (socket: Socket) => (() => void) | null,
): Promise<TakenPort> {
  const held = new Map<Socket, (() => void) | null>();
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    socket.on("error", () => {});
    socket.once("close", () => held.delete(socket));
    held.set(socket, hold(socket));
  });
  server.maxConnections = Math.min(CONNECTIONS_MAX, Math.floor(handlesMax() * HANDLES_PART));
  await once(server.listen(port, host), "listening").catch((error: unknown) => {
    throw refused(error, listener, { host, port });
  });
  let owned = true;
  return {
    port: portOf(server, port),
    async handTo(own) {
      owned = false;
      const waiting = [...held].filter(([, letGo]) => letGo !== null);
      for (const [, letGo] of waiting) letGo?.();
      await own.takeOver(
        server,
        waiting.map(([socket]) => socket),
      );
    },
    async release() {
      if (!owned) return;
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of held.keys()) socket.destroy();
      await closed;
    },
  };
}

function portOf(server: Server, asked: number): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : asked;
}

/** Why an address cannot be had, and what to do. */
function refused(error: unknown, { title, flag }: Listener, { host, port }: Address): Error {
  const { code, message } = error as NodeJS.ErrnoException;
  const sentences: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} of ${host} is taken (${title}). Choose another with ${flag}, or end what listens there.`,
    EACCES: `Port ${port} of ${host} needs rights that this user lacks (${title}). Choose one above 1023 with ${flag}.`,
    EADDRNOTAVAIL: `This machine has no address ${host} (${title}).`,
    ENOTFOUND: `There is no address by the name ${host} (${title}).`,
  };
  const sentence =
    sentences[code ?? ""] ?? `Cannot listen on ${host} port ${port} (${title}): ${message}.`;
  return new Error(sentence, { cause: error });
}
