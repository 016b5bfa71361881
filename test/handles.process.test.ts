import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { Agent, get as getBy, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { freePort } from "./ports.ts";
import { eventually } from "./postgres-store.ts";
import { OURS, type Program, startService } from "./process.ts";
import { clientOf } from "./service.ts";
import { folderFor } from "./site.ts";

const skip = spawnSync("prlimit", ["--version"]).status !== 0 && "there is no prlimit";

/** The handles that a shell gives with `ulimit -n 128`. */
const FEW = 128;
const LIMITED: Program = ["prlimit", `--nofile=${FEW}`, ...OURS];

async function opened(t: TestContext, program: Program) {
  const adminPort = await freePort();
  const variables = {
    CAIRN_DATA_DIR: folderFor(t),
    CAIRN_ADMIN_PORT: String(adminPort),
    CAIRN_SEAL_INTERVAL_S: "1",
  };
  const service = await startService(variables, program);
  t.after(() => service.stop("SIGKILL"));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  /** By the one connection that is open already. */
  async function health(): Promise<{ status: number | undefined; text: string }> {
    const asked = getBy(`http://127.0.0.1:${adminPort}/healthz`, { agent });
    const [answer] = (await once(asked, "response")) as [IncomingMessage];
    const chunks = await answer.toArray();
    return { status: answer.statusCode, text: chunks.join("") };
  }
  const hasSigned = () => existsSync(join(variables.CAIRN_DATA_DIR, "signer-memory.json"));
  return { service, health, hasSigned, port: Number(new URL(service.url).port) };
}

/** A stranger's connection, which never sends a byte; a service that refuses it closes it. */
async function idleAt(port: number, localAddress: string): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", localAddress });
  socket.on("error", () => {});
  await Promise.race([once(socket, "connect"), once(socket, "close")]);
  return socket;
}

test("idle connections leave handles for the database, the signer and the log", {
  skip,
}, async (t) => {
  const { service, health, port } = await opened(t, LIMITED);
  const { get, post } = clientOf(service.url);
  const { token } = (await post("/register")).body;
  await eventually(async () => (await health()).status === 200);
  const strangers: Socket[] = [];
  t.after(() => {
    for (const socket of strangers) socket.destroy();
  });
  for (let i = 0; i < 3 * FEW; i++)
    strangers.push(await idleAt(port, `127.0.${1 + (i % 100)}.${1 + Math.floor(i / 100)}`));
  const used = readdirSync(`/proc/${service.process.pid}/fd`).length;
  assert.ok(used < FEW, `${used} of ${FEW} handles are open`);
  const write = () => post("/post", { body: "Still here." }, { token }).catch(() => null);
  await eventually(async () => (await write())?.status === 201); // Idle connections give way.
  for (const socket of strangers) socket.destroy();
  await eventually(async () => (await get("/seal?limit=1")).body.unsealed.entries === 0);
  const { status, text } = await health();
  assert.equal(status, 200, text);
  assert.doesNotMatch(service.output(), /signer_refuses|EMFILE|a job failed/);
  const { limits } = (await get("/limits")).body;
  const most = limits.find(({ id }: { id: string }) => id === "connections");
  assert.ok(most.value < FEW, `${most.value} connections`);
});

test("a signer that gets no handle says so, and never that its memory is gone", {
  skip,
}, async (t) => {
  const { service, health, hasSigned } = await opened(t, OURS);
  const { post } = clientOf(service.url);
  const { token } = (await post("/register")).body;
  const { pid } = service.process;
  const limit = (handles: string) => spawnSync("prlimit", [`--pid=${pid}`, `--nofile=${handles}`]);
  await eventually(async () => (await health()).status === 200);
  assert.equal((await post("/post", { body: "To be sealed." }, { token })).status, 201);
  await eventually(async () => hasSigned());
  assert.equal(limit("8:").status, 0); // Fewer than are open: nothing more can be opened.
  await eventually(async () => /cannot be read/.test((await health()).text));
  const { text } = await health();
  assert.match(text, /signer-memory\.json is there and cannot be read: EMFILE/);
  assert.equal(limit("1024:").status, 0);
  await eventually(async () => (await health()).status === 200);
  await service.stop("SIGTERM");
  assert.match(
    service.output(),
    /"signer":"unreadable","why":"EMFILE[^"]*","msg":"signer_refuses"/,
  );
  assert.doesNotMatch(service.output(), /memory_missing/);
});
