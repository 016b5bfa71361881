import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { dropPostgres, freshPostgres } from "./database.ts";
import { checkEntries, readLedger } from "./invariants.ts";
import { freePort } from "./ports.ts";
import { eventually, times } from "./postgres-store.ts";
import { type RunningService, runCairn, runHere, startService } from "./process.ts";
import { clientOf } from "./service.ts";

const WORKERS = 2;

async function startWorkers(t: TestContext, variables: Readonly<Record<string, string>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "cairn-workers-"));
  const adminPort = String(await freePort());
  const service = await startService({
    CAIRN_DATA_DIR: folder,
    CAIRN_WORKERS: String(WORKERS),
    CAIRN_ADMIN_PORT: adminPort,
    CAIRN_SEAL_INTERVAL_S: "1",
    ...variables,
  });
  t.after(async () => {
    await service.stop("SIGKILL");
    rmSync(folder, { recursive: true });
  });
  const admin = (path: string) => fetch(`http://127.0.0.1:${adminPort}${path}`);
  return { service, admin };
}

/** How many processes answer; the first half of a request's id tells one from another. */
async function answering({ url }: RunningService): Promise<number> {
  const asked = times(16, () =>
    fetch(`${url}/api/v1/mission`, { headers: { connection: "close" } }),
  );
  const ids = (await Promise.allSettled(asked))
    .filter((answer) => answer.status === "fulfilled")
    .map(({ value }) => value.headers.get("x-request-id")?.slice(0, 8));
  return new Set(ids).size;
}

const childrenOf = ({ process: { pid } }: RunningService): number[] =>
  execFileSync("ps", ["-o", "pid=", "--ppid", String(pid)], { encoding: "utf8" })
    .trim()
    .split(/\s+/)
    .map(Number);

for (const engine of ["sqlite", "postgres"] as const) {
  test(`several processes are one service [${engine}]`, async (t) => {
    const url = engine === "postgres" ? await freshPostgres() : "";
    const { service, admin } = await startWorkers(t, { CAIRN_DATABASE_URL: url });
    const { get, post } = clientOf(service.url);
    await eventually(async () => (await answering(service)) === WORKERS);

    const { token } = (await post("/register")).body;
    const posted = await Promise.all(times(50, () => post("/post", { body: "hello" }, { token })));
    assert.ok(posted.every(({ status }) => status === 201));
    const seen = async () => (await get("/feed?limit=100")).body.posts.length;
    await eventually(async () => (await Promise.all(times(8, seen))).every((n) => n === 50));
    await eventually(async () => (await get("/seal?limit=1")).body.unsealed.entries === 0);
    checkEntries(await readLedger({ get }));
    await eventually(async () => (await get("/protection")).body.counters.signer === "ok");

    const counted = async () => /route="\/api\/v1\/post".* (\d+)$/m.exec(await text())?.[1];
    const text = async () => (await admin("/metrics")).text();
    await eventually(async () => (await counted()) === "50");
    assert.match(await text(), new RegExp(`^cairn_workers ${WORKERS}$`, "m"));
    const leaving = new AbortController();
    const waiting = fetch(`${service.url}/api/v1/since?since=4000000000&wait=25`, leaving);
    await eventually(async () => /^cairn_waiting_reads 1$/m.test(await text()));
    assert.match(await text(), /^cairn_connections [1-9]/m);
    leaving.abort();
    await assert.rejects(waiting, { name: "AbortError" });
    await eventually(async () => /^cairn_waiting_reads 0$/m.test(await text()));

    assert.equal(await service.stop("SIGTERM"), 0);
    if (engine === "postgres") dropPostgres(url);
  });
}

test("a worker that ends is begun again, and meanwhile the others answer", async (t) => {
  const { service, admin } = await startWorkers(t);
  await eventually(async () => (await answering(service)) === WORKERS);
  const [one = 0] = childrenOf(service);
  process.kill(one, "SIGKILL");
  await eventually(() => service.output().includes("a worker has ended"));
  assert.ok((await answering(service)) > 0);
  await eventually(async () => (await answering(service)) === WORKERS);

  for (const pid of childrenOf(service)) process.kill(pid, "SIGKILL");
  await eventually(async () => (await admin("/readyz")).status === 503);
  await eventually(async () => (await admin("/readyz")).status === 200);
  assert.equal(await service.stop("SIGTERM"), 0);
  assert.deepEqual(service.output().match(/a worker has ended/g)?.length, 3);
});

test("workers that cannot start end the service with a sentence", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-workers-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const program = `import cluster from "node:cluster"; if (cluster.isWorker) process.exit(7);`;
  const { code, err } = await runCairn(["serve", "--port", "0"], {
    CAIRN_DATA_DIR: folder,
    CAIRN_ADMIN_PORT: "0",
    CAIRN_WORKERS: "2",
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(program)}`,
  });
  assert.equal(code, 1);
  assert.match(err, /A worker could not start\.\n$/);
});

interface Lane {
  readonly worker: string;
  ask(method: "GET" | "POST", path: string, token?: string): Promise<number>;
}

/** A connection to each worker, on which it is asked again and again. */
async function lanesTo(t: TestContext, { url }: RunningService): Promise<[Lane, Lane]> {
  const open = async (): Promise<Lane> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    t.after(() => agent.destroy());
    const answerTo = async (method: string, path: string, token?: string) => {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const sent = request(`${url}/api/v1${path}`, { agent, method, headers });
      sent.end();
      const [answer] = await once(sent, "response");
      await once(answer.resume(), "end");
      return answer;
    };
    const { headers } = await answerTo("GET", "/mission");
    const worker = String(headers["x-request-id"]).slice(0, 8);
    return { worker, ask: async (...asked) => (await answerTo(...asked)).statusCode };
  };
  const one = await open();
  for (;;) {
    const other = await open();
    if (other.worker !== one.worker) return [one, other];
  }
}

test("the limit is one for all workers", async (t) => {
  const { service } = await startWorkers(t, { CAIRN_RATE_LIMIT_PER_MINUTE: "120" });
  const { token } = (await clientOf(service.url).post("/register")).body;
  const [one, other] = await lanesTo(t, service);
  while ((await one.ask("GET", "/me", token)) === 200);
  // Asked four times a second, it hears of them long before it has given its own 120.
  for (let passed = 0; (await other.ask("GET", "/me", token)) === 200; await sleep(250))
    assert.ok(++passed < 60, "a worker counts what another has let pass");
});

test("a burst over all workers gets no more registrations than one process gives", async (t) => {
  const { service } = await startWorkers(t, {
    CAIRN_REGISTRATIONS_PER_HOUR: "20",
    CAIRN_TRUSTED_PROXIES: "loopback",
    CAIRN_WORKERS: "3",
  });
  await eventually(async () => (await answering(service)) === 3);
  const headers = {
    connection: "close",
    "x-forwarded-for": "198.51.100.7",
    "content-type": "application/json",
  };
  const registering = () =>
    fetch(`${service.url}/api/v1/register`, { method: "POST", headers, body: "{}" });
  const answers = await Promise.all(times(150, registering));
  const processes = answers.map((each) => each.headers.get("x-request-id")?.slice(0, 8));
  assert.equal(new Set(processes).size, 3, "each worker was asked");
  const count = (status: number) => answers.filter((each) => each.status === status).length;
  assert.deepEqual([count(201), count(429)], [20, 130]);
  assert.ok(answers.every(({ status, headers: to }) => status === 201 || to.has("retry-after")));
});

test("a pause of registrations holds for all workers, and so does its end", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-workers-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const { service } = await startWorkers(t, { CAIRN_DATA_DIR: folder });
  const lanes = await lanesTo(t, service);
  const all = async (status: number) => {
    const statuses = await Promise.all(lanes.map(({ ask }) => ask("POST", "/register")));
    return statuses.every((each) => each === status);
  };
  assert.ok(await all(201));
  const pauses = (...args: string[]) =>
    runHere(["registrations", ...args], { CAIRN_DATA_DIR: folder });
  const paused = await pauses("pause", "--minutes", "60", "--reason", "A flood.");
  assert.equal(paused.code, 0, paused.err);
  await eventually(() => all(429));
  const resumed = await pauses("resume");
  assert.equal(resumed.code, 0, resumed.err);
  await eventually(() => all(201));
});
