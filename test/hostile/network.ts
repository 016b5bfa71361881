import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { encodingOf, MODES, type ModeName } from "./modes.ts";

/** A request that came, with the mode that answers it. */
interface Heard {
  readonly mode: string;
  readonly method: string;
  /** Without the mode. */
  readonly path: string;
  readonly token: string | undefined;
  readonly body: string;
}

/** A network that answers as its modes say, in front of a real service. */
export interface HostileNetwork {
  /** A base URL at which every answer is of one mode; `turning`: of the one that was turned to last. */
  at(mode: ModeName | "turning"): string;
  turn(mode: ModeName): void;
  /** Every request so far. */
  readonly heard: Heard[];
  /** Every request that was led to another server. */
  readonly stolen: Heard[];
  close(): Promise<void>;
}

/** Headers that belong to one connection, or that the service must not answer to. */
const OWN = /^(host|connection|content-length|transfer-encoding|accept-encoding|te|expect)$/;

/** Opens one in front of a service. */
export async function openHostile(target: string): Promise<HostileNetwork> {
  const [heard, stolen]: [Heard[], Heard[]] = [[], []];
  let turned: ModeName = "honest";

  const thief = createServer(async (asked, reply) => {
    stolen.push(heardOf(asked, "elsewhere", asked.url ?? "", await bodyOf(asked)));
    reply.writeHead(200, { "content-type": "application/json" }).end('{"ok":true}');
  });
  const network = createServer(async (asked, reply) => {
    const [, named = "", path = "/"] = /^\/([^/?]*)(.*)$/.exec(asked.url ?? "/") ?? [];
    const mode = isMode(named) ? named : turned;
    const body = await bodyOf(asked);
    heard.push(heardOf(asked, mode, path, body));
    const honest = async () => {
      const headers = new Headers(
        Object.entries(asked.headers).flatMap(([name, value]) =>
          typeof value === "string" && !OWN.test(name) ? [[name, value]] : [],
        ),
      );
      const method = asked.method ?? "GET";
      const init = { method, headers, redirect: "manual", ...(body !== "" && { body }) } as const;
      const answer = await fetch(target + path, init);
      const type = answer.headers.get("content-type") ?? "text/plain";
      // Files of a log are bytes: a character for each.
      const bytes = Buffer.from(await answer.arrayBuffer());
      return { status: answer.status, type, text: bytes.toString(encodingOf(type)) };
    };
    const [here, elsewhere] = [addressOf(network), addressOf(thief)];
    await Promise.resolve(MODES[mode]({ asked, reply, honest, elsewhere, here })).catch(() =>
      asked.socket.destroy(),
    );
  });
  network.on("connection", (socket) => socket.on("error", () => {}));
  network.on("clientError", (_, socket) => socket.destroy());
  for (const server of [thief, network]) await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    at: (mode) => `${addressOf(network)}/${mode}`,
    turn(mode) {
      turned = mode;
    },
    heard,
    stolen,
    async close() {
      for (const server of [thief, network]) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}

const isMode = (name: string): name is ModeName => Object.hasOwn(MODES, name);

const addressOf = (server: ReturnType<typeof createServer>): string =>
  `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const heardOf = (
  { method = "", headers }: IncomingMessage,
  mode: string,
  path: string,
  body: string,
): Heard => ({ mode, method, path, token: headers.authorization, body });

async function bodyOf(asked: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of asked) parts.push(part);
  return Buffer.concat(parts).toString();
}
