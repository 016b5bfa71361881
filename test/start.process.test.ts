import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { takeNetworkPort, takeOperatorsPort } from "../src/main/listeners/ports.ts";
import { freePort } from "./ports.ts";
import { eventually } from "./postgres-store.ts";
import { OURS, runCairn, spawnCairn } from "./process.ts";

const HOST = "127.0.0.1";

/** A port that somebody else has. */
async function takenPort(t: TestContext): Promise<number> {
  const server = createServer().listen(0, HOST);
  await once(server, "listening");
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

function newFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "cairn-start-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

for (const [workers, flag, title] of [
  ["1", "--port", "the network"],
  ["1", "--admin-port", "the operators' listener"],
  ["2", "--port", "the network"],
] as const)
  test(`a taken port of ${title} begins no network: ${workers} process(es)`, async (t) => {
    const [port, dataDir] = [await takenPort(t), join(newFolder(t), "data")];
    const words = ["serve", "--port", "0", "--admin-port", "0", flag, String(port)];
    const variables = { CAIRN_DATA_DIR: dataDir, CAIRN_WORKERS: workers };
    const { code, out, err } = await runCairn(words, variables);
    const sentence = `Port ${port} of ${HOST} is taken (${title}). Choose another with ${flag}, or end what listens there.\n`;
    assert.deepEqual([code, out, err], [1, "", sentence]);
    assert.equal(existsSync(dataDir), false);
  });

test("an address that is not here is told, and a failed start frees what it took", async (t) => {
  const folder = newFolder(t);
  const words = ["serve", "--port", "0", "--admin-port", "0", "--host", "192.0.2.1"];
  const { code, err } = await runCairn(words, { CAIRN_DATA_DIR: folder });
  assert.equal(code, 1);
  assert.equal(err, "This machine has no address 192.0.2.1 (the network).\n");
  assert.deepEqual(readdirSync(folder), []);
});

test("a service that starts says so: alive, and not ready", async (t) => {
  const at = { adminHost: HOST, adminPort: 0 };
  const operators = await takeOperatorsPort(at);
  t.after(operators.release);
  const ask = (path: string) => fetch(`http://${HOST}:${operators.port}${path}`);
  const reasons = ["The service is starting."];
  const [alive, ready] = [await ask("/healthz"), await ask("/readyz")];
  assert.deepEqual(
    [alive.status, await alive.json()],
    [200, { ok: true, reasons: [], findings: [] }],
  );
  const { findings, ...said } = (await ready.json()) as { findings: { name: string }[] };
  assert.deepEqual([ready.status, said], [503, { ok: false, reasons }]);
  assert.deepEqual(
    findings.map(({ name }) => name),
    ["starting"],
  );
  assert.equal((await ask("/metrics")).status, 503);
});

test("a request that comes too early waits, and is refused after a while", async (t) => {
  const port = await takeNetworkPort({ host: HOST, port: 0 }, 50);
  t.after(port.release);
  const socket = connect(port.port, HOST);
  socket.write("GET /api/v1/stats HTTP/1.1\r\nHost: a\r\n\r\n");
  const answer = Buffer.concat(await socket.toArray()).toString();
  assert.match(answer, /^HTTP\/1\.1 503 [\s\S]*\r\nretry-after: 1\r\n/);
  assert.match(answer, /"error":"overloaded","message":"The service is starting\."\}$/);
});

test("requests that come while a service starts are answered by it", async (t) => {
  const folder = newFolder(t);
  const [port, adminPort] = [await freePort(), await freePort()];
  const child = spawnCairn(["serve", "--port", String(port), "--admin-port", String(adminPort)], {
    CAIRN_DATA_DIR: folder,
  });
  const ended = once(child, "close");
  const url = `http://${HOST}:${port}/api/v1/stats`;
  let refused = 0;
  await eventually(async () => {
    const answer = await fetch(url).catch(() => null);
    if (answer === null) refused++;
    else assert.equal(answer.status, 200, "it was held until the service answers");
    return answer !== null;
  });
  assert.ok(refused > 0);
  assert.equal((await fetch(`http://${HOST}:${adminPort}/readyz`)).status, 200);
  child.kill("SIGTERM");
  assert.deepEqual(await ended, [0, null]);
  await assert.rejects(fetch(url));
});

const hasPython = spawnSync("python3", ["-c", "import pty"]).status === 0;
const skip = hasPython ? false : "there is no python3 to make a terminal";

test("on a terminal a start shows where everything is; elsewhere no link is printed", {
  skip,
}, async (t) => {
  const folder = newFolder(t);
  const [port, adminPort] = [await freePort(), await freePort()];
  const words = ["serve", "--port", `${port}`, "--admin-port", `${adminPort}`];
  const onTerminal = ["python3", join(import.meta.dirname, "terminal.py"), ...OURS] as const;
  const ran = await runCairn(words, { CAIRN_DATA_DIR: folder }, onTerminal);
  assert.equal(ran.code, 0, ran.err);
  const link = `http://127\\.0\\.0\\.1:${adminPort}/console/open\\?key=\\S+`;
  assert.match(ran.out, new RegExp(`^  console   ${link}$`, "m"));
  for (const line of [
    `  network   http://127.0.0.1:${port}/api/v1   agents begin at http://127.0.0.1:${port}/api/v1/skill.md`,
    `  data      ${folder} (SQLite)`,
    `  key       ${join(folder, "operator.key")}   keep a copy apart from the data`,
    "  stop      Ctrl-C",
  ])
    assert.ok(ran.out.split("\n").includes(line), `${line}\n${ran.out}`);
  assert.match(ran.out, /^ {2}note {6}The origin 127\.0\.0\.1:\d+ is for ever/m);

  const child = spawnCairn(words, { CAIRN_DATA_DIR: folder });
  const shown = child.stdout?.toArray() ?? [];
  await eventually(
    async () => (await fetch(`http://${HOST}:${adminPort}/readyz`).catch(() => null))?.ok === true,
  );
  child.kill("SIGTERM");
  const text = (await shown).join("");
  assert.match(
    text,
    /"origin":"127\.0\.0\.1:\d+","release":"[^"]+","engine":"sqlite","data":"[^"]+","msg":"serving"/,
  );
  assert.doesNotMatch(text, /key=|Ctrl-C/);
});

test("systemd is told when the service serves, and nobody else is", async (t) => {
  const folder = newFolder(t);
  const told = join(folder, "told");
  const port = await freePort();
  const url = `http://${HOST}:${port}/api/v1`;
  // In the place of systemd's program: it asks the service at that moment.
  const program = `#!/bin/sh\necho "$1 $NOTIFY_SOCKET $(curl -s -o /dev/null -w '%{http_code}' ${url})" > ${told}\n`;
  writeFileSync(join(folder, "systemd-notify"), program, { mode: 0o755 });
  const words = ["serve", "--port", `${port}`, "--admin-port", "0"];
  const variables = { CAIRN_DATA_DIR: folder, PATH: `${folder}:${process.env["PATH"]}` };
  const child = spawnCairn(words, { ...variables, NOTIFY_SOCKET: "/run/notify" });
  t.after(() => child.kill("SIGKILL"));
  await eventually(async () => existsSync(told) && readFileSync(told, "utf8").endsWith("\n"));
  assert.equal(readFileSync(told, "utf8"), "--ready /run/notify 200\n");
  child.kill("SIGTERM");
});

test("--json is JSON also of the version, and of a command that there is not", async () => {
  const version = await runCairn(["--version", "--json"]);
  const { ok, protocol, node } = JSON.parse(version.out);
  assert.deepEqual(
    [version.code, ok, typeof protocol, node],
    [0, true, "number", process.versions.node],
  );
  const unknown = await runCairn(["agnt", "ban", "--json"]);
  assert.deepEqual([unknown.code, unknown.err], [2, ""]);
  const { error, ...more } = JSON.parse(unknown.out);
  assert.deepEqual(more, { ok: false, exit_code: 2 });
  assert.match(error, /^There is no command "agnt ban"\. Did you mean/);
});
