import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { freePort } from "./ports.ts";
import { eventually } from "./postgres-store.ts";
import { startService } from "./process.ts";

const ROOT = join(import.meta.dirname, "..");
const pageOf = (name: string) => readFileSync(join(ROOT, "docs/operating", name), "utf8");

type Language = "nginx" | "caddy" | "haproxy";

const isInstalled = (program: string): boolean =>
  spawnSync(program, ["-h"], { stdio: "ignore" }).error === undefined;

/** The configuration that a page has in a block of its language, or pastes into a Caddyfile. */
function blockIn(page: string, language: Language): string {
  const text = pageOf(page);
  const block =
    new RegExp(`^\`\`\`${language}\n(.+?)^\`\`\``, "ms").exec(text) ??
    /^cat > \/etc\/caddy\/Caddyfile <<'END'\n(.+?)^END$/ms.exec(text);
  return block?.[1] ?? assert.fail(`${page} has no ${language}`);
}

/** Where the proxy listens, where it leads to, and the port of the health check where that is another. */
interface Places {
  readonly port: number;
  readonly service: number;
  readonly checked?: number;
}

/** The same, on a port of this machine and without a certificate. */
const sampleOf = (language: Language, page: string, at: Places): string =>
  blockIn(page, language)
    .replaceAll("192.0.2.0/24", "127.0.0.1/32")
    .replaceAll(/127\.0\.0\.1:808[01]/g, `127.0.0.1:${at.service}`)
    .replace("check port 8081", `check port ${at.checked ?? at.service}`)
    .replace(/^ *bind .+/m, `    bind 127.0.0.1:${at.port}`)
    .replace(/^ *(?:listen \[|ssl_certificate).+\n/gm, "")
    .replace("listen 443 ssl;", `listen 127.0.0.1:${at.port};`)
    .replace(/^(?:cairn|console)\.example\.org \{/m, `http://127.0.0.1:${at.port} {`)
    .replace(/^\{\n/, "{\n    admin off\n");

/** What the proxy leads to: it says what it was asked, counts what it gets, and streams what it is told. */
function serviceOf(events: EventEmitter) {
  return createServer(async (request, response) => {
    const { url, headers, method } = request;
    if (method === "POST") {
      let bytes = 0;
      for await (const chunk of request) bytes += chunk.length;
      response.end(`${bytes}`);
    } else if (url === "/api/v1/since") {
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      response.write("data: first\n\n");
      events.once("second", () => response.end("data: second\n\n"));
    } else response.end(JSON.stringify([url, headers["x-forwarded-for"], headers.host]));
  });
}

/** What a proxy is started with, and the file that it reads. */
function commandOf(language: Language, folder: string, sample: string, port: number) {
  const file = join(folder, "configuration");
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const around = paths.map((each) => `${each}_temp_path ${folder}/${each};`).join(" ");
  const http = sample.includes("server {")
    ? sample
    : `server { listen 127.0.0.1:${port}; access_log off;\n${sample} }`;
  const user = process.geteuid?.() === 0 ? "user root;" : ""; // The folder is this user's.
  const main = `${user} daemon off; pid ${folder}/pid; events {} http { ${around}\n${http}\n}`;
  return {
    nginx: { text: main, args: ["-e", "stderr", "-p", folder, "-c", file] },
    caddy: {
      text: sample.startsWith("{") ? sample : `{\n    admin off\n}\n${sample}`,
      args: ["run", "--adapter", "caddyfile", "--config", file],
    },
    haproxy: {
      text: `global\n    stats socket ${folder}/stats\n${sample}`,
      args: ["-db", "-f", file],
    },
  }[language];
}

/** Starts the documented proxy; resolves to its address and its folder once it answers. */
async function startProxy(t: TestContext, language: Language, page: string, at: Places) {
  const folder = mkdtempSync(join(tmpdir(), "cairn-proxy-"));
  const { text, args } = commandOf(language, folder, sampleOf(language, page, at), at.port);
  writeFileSync(join(folder, "configuration"), text);
  const home = { PATH: process.env["PATH"], HOME: folder };
  const proxy = spawn(language, args, { env: home, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  proxy.stderr.on("data", (chunk) => (said += chunk));
  t.after(async () => {
    const isOver = proxy.exitCode === null ? once(proxy, "exit") : null;
    proxy.kill();
    await isOver;
    rmSync(folder, { recursive: true, force: true });
  });
  const url = `http://127.0.0.1:${at.port}`;
  await eventually(async () => {
    assert.equal(proxy.exitCode, null, said);
    return (await fetch(url).catch(() => null)) !== null;
  });
  return { url, folder };
}

/** A service behind the documented proxy, and the proxy's address. */
async function openProxy(t: TestContext, language: Language, page: string) {
  const events = new EventEmitter();
  const service = serviceOf(events);
  await once(service.listen(0, "127.0.0.1"), "listening");
  t.after(() => {
    service.closeAllConnections();
    service.close();
  });
  const at = { port: await freePort(), service: (service.address() as AddressInfo).port };
  return { url: (await startProxy(t, language, page, at)).url, events };
}

const needs = (language: Language) => ({
  skip: !isInstalled(language) && `${language} is not installed here`,
});

/** The largest page of an application. */
const UPLOAD_bytes = 2 * 1_024 * 1_024;

const LANGUAGES = ["nginx", "caddy", "haproxy"] as const;

for (const language of LANGUAGES)
  test(
    `the documented ${language} passes targets, uploads and streams on, and whose address it saw`,
    needs(language),
    async (t) => {
      const { url, events } = await openProxy(
        t,
        language,
        language === "caddy" ? "install.md" : "proxy.md",
      );
      const answer = await fetch(`${url}/api/v1/feed?a=%41%20b`, {
        headers: { "x-forwarded-for": "6.6.6.6" },
      });
      const [target, sender] = JSON.parse(await answer.text());
      assert.deepEqual([target, sender], ["/api/v1/feed?a=%41%20b", "127.0.0.1"]);
      const sent = await fetch(`${url}/api/v1/app`, {
        method: "POST",
        body: "x".repeat(UPLOAD_bytes),
      });
      assert.equal(await sent.text(), `${UPLOAD_bytes}`);

      const { body } = await fetch(`${url}/api/v1/since`);
      const reader = body?.pipeThrough(new TextDecoderStream()).getReader() ?? assert.fail();
      assert.equal((await reader.read()).value, "data: first\n\n", "before the answer has ended");
      events.emit("second");
      assert.equal((await reader.read()).value, "data: second\n\n");
    },
  );

for (const language of ["nginx", "caddy"] as const)
  test(
    `the documented ${language} leads to the console alone, by the name that was asked`,
    needs(language),
    async (t) => {
      const { url } = await openProxy(t, language, "console.md");
      const { host } = new URL(url);
      const [target, , name] = JSON.parse(await (await fetch(`${url}/console/open?key=1`)).text());
      assert.equal(target, "/console/open?key=1");
      assert.equal(name, host);
    },
  );

/** What HAProxy's check of the server has found, such as L7OK or L7STS. */
async function checkOf(folder: string): Promise<string | undefined> {
  const socket = connect(join(folder, "stats"));
  socket.end("show stat -1 4 -1 json\n");
  const values: unknown = JSON.parse(await text(socket));
  return JSON.stringify(values).match(/"check_status".+?"value":"(?:\* )?(\w+)"/)?.[1];
}

test(
  "the health check of the documented haproxy finds the service ready",
  needs("haproxy"),
  async (t) => {
    const checked = await freePort();
    const folder = mkdtempSync(join(tmpdir(), "cairn-behind-"));
    const service = await startService({ CAIRN_DATA_DIR: folder, CAIRN_ADMIN_PORT: `${checked}` });
    t.after(async () => {
      await service.stop("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    });
    const at = { port: await freePort(), service: Number(new URL(service.url).port), checked };
    const proxy = await startProxy(t, "haproxy", "proxy.md", at);
    let found: string | undefined;
    await eventually(async () => {
      found = await checkOf(proxy.folder);
      return found !== undefined && found !== "INI";
    });
    assert.equal(found, "L7OK");
    assert.equal((await fetch(`${proxy.url}/api/v1/stats`)).status, 200);
  },
);

test("nginx ends no answer that has begun, as long as it goes on", () => {
  const sample = blockIn("proxy.md", "nginx");
  assert.doesNotMatch(sample, /proxy_(?:read|send)_timeout|proxy_buffering on|keepalive_time/);
});

test("Caddy has no time limit for an answer, and finds nothing to format", needs("caddy"), () => {
  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync("caddy", args, {
      encoding: "utf8",
      env: { PATH: process.env["PATH"], HOME: tmpdir(), DOMAIN: "cairn.example.org" },
    });
    assert.equal(status, 0, stderr);
    return stdout;
  };
  const folder = mkdtempSync(join(tmpdir(), "cairn-caddy-"));
  const samples = ["install.md", "console.md"].map((name) => {
    writeFileSync(join(folder, name), blockIn(name, "caddy"));
    return join(folder, name);
  });
  for (const file of [join(ROOT, "ops/Caddyfile"), ...samples]) {
    assert.equal(run("fmt", file), readFileSync(file, "utf8"));
    const adapted = run("adapt", "--adapter", "caddyfile", "--config", file);
    assert.ok(adapted.includes("reverse_proxy"));
    assert.doesNotMatch(adapted, /write_timeout|flush_interval/);
  }
  rmSync(folder, { recursive: true });
});
