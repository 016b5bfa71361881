import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { freePort } from "./ports.ts";
import { eventually } from "./postgres-store.ts";

const page = readFileSync(join(import.meta.dirname, "../docs/operating/proxy.md"), "utf8");

const isInstalled = (program: string): boolean =>
  spawnSync(program, ["-h"], { stdio: "ignore" }).error === undefined;

/** The documented configuration, on a port of this machine and without a certificate. */
function sampleOf(language: string, at: { readonly port: number; readonly service: number }) {
  const [, sample = ""] = new RegExp(`^\`\`\`${language}\n(.+?)^\`\`\``, "ms").exec(page) ?? [];
  return sample
    .replaceAll("127.0.0.1:8080", `127.0.0.1:${at.service}`)
    .replace(/^ *(?:listen \[|ssl_certificate).+\n/gm, "")
    .replace("listen 443 ssl;", `listen 127.0.0.1:${at.port};`)
    .replace(/^cairn\.example\.org \{/m, `http://127.0.0.1:${at.port} {`)
    .replace(/^\{\n/, "{\n    admin off\n");
}

/** A service behind the proxy that says what it was asked, and the proxy's address. */
async function openProxy(t: TestContext, language: "nginx" | "caddy"): Promise<string> {
  const service = createServer(({ url, headers }, response) => {
    response.end(JSON.stringify([url, headers["x-forwarded-for"]]));
  });
  await once(service.listen(0, "127.0.0.1"), "listening");
  const at = { port: await freePort(), service: (service.address() as AddressInfo).port };
  const folder = mkdtempSync(join(tmpdir(), "cairn-proxy-"));
  const file = join(folder, "configuration");
  const sample = sampleOf(language, at);
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const around = paths.map((name) => `${name}_temp_path ${folder}/${name};`).join(" ");
  const main = `daemon off; pid ${folder}/pid; events {} http { ${around}\n${sample}\n}`;
  writeFileSync(file, language === "nginx" ? main : sample);
  const args =
    language === "nginx"
      ? ["-e", "stderr", "-p", folder, "-c", file]
      : ["run", "--adapter", "caddyfile", "--config", file];
  const home = { PATH: process.env["PATH"], HOME: folder };
  const proxy = spawn(language, args, { env: home, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  proxy.stderr.on("data", (chunk) => (said += chunk));
  t.after(async () => {
    const isOver = proxy.exitCode === null ? once(proxy, "exit") : null;
    proxy.kill();
    await isOver;
    service.closeAllConnections();
    service.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const url = `http://127.0.0.1:${at.port}`;
  await eventually(async () => {
    assert.equal(proxy.exitCode, null, said);
    return (await fetch(url).catch(() => null)) !== null;
  });
  return url;
}

for (const language of ["nginx", "caddy"] as const)
  test(`the documented ${language} passes targets on, and tells whose address it saw`, {
    skip: !isInstalled(language) && `${language} is not installed here`,
  }, async (t) => {
    const url = await openProxy(t, language);
    const answer = await fetch(`${url}/api/v1/feed?a=%41%20b`, {
      headers: { "x-forwarded-for": "6.6.6.6" },
    });
    assert.deepEqual(await answer.json(), ["/api/v1/feed?a=%41%20b", "127.0.0.1"]);
  });
