import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { Client } from "pg";
import { dropPostgres, emptyPostgres } from "./database.ts";
import { freePort } from "./ports.ts";
import { eventually } from "./postgres-store.ts";
import { OURS, type Program, type RunningService, runCairn, startService } from "./process.ts";
import { clientOf, ENGINES } from "./service.ts";
import { folderFor } from "./site.ts";

/** What a storage does to what is to be stored, and how it is told to stop that. */
interface Ailing {
  readonly service: RunningService;
  readonly adminPort: string;
  readonly variables: Readonly<Record<string, string>>;
  /** From now on nothing can be stored. */
  fall(): Promise<void>;
  /** From now on it can. */
  recover(): Promise<void>;
  /** The storage's own words. */
  readonly words: RegExp;
}

/** The service says that it is not ready, and takes writes again when nobody has asked for one. */
async function falls({ service, adminPort, variables, ...storage }: Ailing): Promise<void> {
  const { get, post } = clientOf(service.url);
  const { token } = (await post("/register")).body;
  const write = () => post("/post", { body: randomBytes(6_000).toString("base64") }, { token });
  const asked = (path: string) => fetch(`http://127.0.0.1:${adminPort}${path}`);
  const { id } = (await write()).body;
  // A worker takes writes before the first process has the operators' port.
  await eventually(async () => (await asked("/readyz")).status === 200);

  await storage.fall();
  await eventually(async () => (await write()).status === 503);
  await eventually(async () => {
    await write();
    return (await asked("/readyz")).status === 503;
  });
  const { findings } = JSON.parse(await (await asked("/readyz")).text());
  assert.deepEqual(
    findings.map(({ name }: { name: string }) => name),
    ["storage"],
  );
  assert.match(findings[0].sentence, storage.words);
  const figures = await (await asked("/metrics")).text();
  assert.match(figures, /^cairn_ready 0$/m);
  assert.match(figures, /^cairn_health_finding\{name="storage"\} 1$/m);
  const doctor = await runCairn(["doctor", "--quick"], variables);
  assert.match(doctor.out, /^FAULT +service +The storage refuses all writes: /m);
  assert.equal((await get(`/post/${id}`)).status, 200, "reads go on");
  assert.equal((await get("/feed")).status, 200);

  await storage.recover();
  await eventually(async () => (await asked("/readyz")).status === 200);
  assert.equal((await write()).status, 201);
  await eventually(async () => /^cairn_ready 1$/m.test(await (await asked("/metrics")).text()));
  await service.stop("SIGTERM");
  const faults = service
    .output()
    .split("\n")
    .filter((line) => line.startsWith('{"level":"error"'))
    .map((line) => JSON.parse(line));
  const [first] = faults.filter(({ msg }) => msg === "write_refused" || msg === "a job failed");
  assert.equal(first.msg, "write_refused", "the log names the cause first");
  assert.match(first.why, storage.words);
}

/** The program itself, under a limit of the size of each file that it writes. */
const LIMIT_BYTES = 2_500_000;
const LIMITED: Program = ["prlimit", `--fsize=${LIMIT_BYTES}:unlimited`, ...OURS];

/** The processes that a service consists of. */
function processesOf(pid: number): readonly number[] {
  const parentOf = (each: string): number => {
    try {
      return Number(readFileSync(`/proc/${each}/stat`, "utf8").split(") ").at(-1)?.split(" ")[1]);
    } catch {
      return 0; // It has ended.
    }
  };
  const numbers = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return [pid, ...numbers.filter((each) => parentOf(each) === pid).map(Number)];
}

for (const workers of ["1", "2"])
  test(`a file that cannot grow makes the service unready, until it can: ${workers} process(es)`, {
    skip: !ENGINES.includes("sqlite"),
  }, async (t) => {
    if (spawnSync("prlimit", ["--version"]).status !== 0) return t.skip("there is no prlimit");
    const adminPort = String(await freePort());
    const variables = {
      CAIRN_DATA_DIR: folderFor(t),
      CAIRN_ADMIN_PORT: adminPort,
      CAIRN_WORKERS: workers,
    };
    const service = await startService(variables, LIMITED);
    t.after(() => service.stop("SIGKILL"));
    const limit = (bytes: string) => {
      for (const pid of processesOf(service.process.pid ?? 0)) {
        const { status, stderr } = spawnSync("prlimit", [`--pid=${pid}`, `--fsize=${bytes}`]);
        assert.equal(status, 0, String(stderr));
      }
    };
    await falls({
      service,
      adminPort,
      variables,
      words: /disk I\/O error|disk is full/,
      fall: async () => {}, // The log grows to the limit by itself.
      recover: async () => limit("unlimited:unlimited"),
    });
  });

const ROLE = `cairn_${process.pid}`;
const RIGHTS = "INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public";

test("a role that may not write any more makes the service unready, until it may", {
  skip: !ENGINES.includes("postgres"),
}, async (t) => {
  const url = await emptyPostgres();
  t.after(() => dropPostgres(url));
  const server = new Client(url);
  await server.connect();
  const database = new URL(url).pathname.slice(1);
  await server.query(`CREATE ROLE ${ROLE} LOGIN PASSWORD 'SECRET'`);
  await server.query(`ALTER DATABASE ${database} OWNER TO ${ROLE}`);
  const own = new URL(url);
  [own.username, own.password] = [ROLE, "SECRET"];
  const adminPort = String(await freePort());
  const variables = {
    CAIRN_DATA_DIR: folderFor(t),
    CAIRN_ADMIN_PORT: adminPort,
    CAIRN_DATABASE_URL: own.href,
  };
  const service = await startService(variables);
  t.after(async () => {
    await service.stop("SIGKILL");
    await server.query(`REASSIGN OWNED BY ${ROLE} TO CURRENT_USER`);
    await server.query(`DROP OWNED BY ${ROLE}; DROP ROLE ${ROLE}`);
    await server.end();
  });
  await falls({
    service,
    adminPort,
    variables,
    words: /permission denied for table/,
    fall: async () => void (await server.query(`REVOKE ${RIGHTS} FROM ${ROLE}`)),
    recover: async () => void (await server.query(`GRANT ${RIGHTS} TO ${ROLE}`)),
  });
});
