import { createServer } from "node:net";

/** Below the ports that systems give to programs that name none. The first of a lane guards it. */
const PORTS = { first: 10_000, lanes: 220, inLane: 100 };

let lane: Promise<number> | undefined;
let portsTaken = 0;

/** A port of the loopback address that is free, and that nobody is given by chance before it is used. */
export async function freePort(): Promise<number> {
  lane ??= takeLane(process.pid);
  const guard = await lane;
  for (let tries = 1; tries < PORTS.inLane; tries++) {
    const port = guard + 1 + (portsTaken++ % (PORTS.inLane - 1));
    const server = await listening(port);
    if (server === null) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
  throw new Error("This process has used all its ports.");
}

/**
 * The first port of a lane that this process has for itself until it ends, also where several runs of
 * the tests share a machine: it listens there. The first lane that it tries follows from `seed`.
 */
export async function takeLane(seed: number): Promise<number> {
  for (let tries = 0; tries < PORTS.lanes; tries++) {
    const guard = PORTS.first + ((seed + tries) % PORTS.lanes) * PORTS.inLane;
    if ((await listening(guard))?.unref()) return guard;
  }
  throw new Error("All lanes of ports are taken.");
}

const listening = (port: number) =>
  new Promise<ReturnType<typeof createServer> | null>((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(null));
    server.listen(port, "127.0.0.1", () => resolve(server));
  });
