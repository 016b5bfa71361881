import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { chainOf, genesisOf, operatorOf, posts } from "../../../test/chain.ts";
import { listening, serviceOf } from "../../../test/chain-server.ts";
import { OURS, runCairn } from "../../../test/process.ts";
import { newFile } from "../../../test/verify-run.ts";
import { VECTORS } from "../../../test/witness-vectors.ts";
import { allCommands } from "../commands.ts";

/** A proxy that leads nowhere, and the hosts that it was asked for. */
async function deafProxy(t: TestContext) {
  const asked = new Set<string>();
  const server = createServer();
  server.on("connect", ({ url = "" }, socket) => {
    asked.add(url);
    socket.on("error", () => {});
    socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => server.close());
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const FROM = "https://cairn.invalid";

/** The words after the name of each command that asks a network. */
function wordsOf(): Readonly<Record<string, readonly string[]>> {
  const policy = newFile();
  writeFileSync(policy, `log ${VECTORS.log.vkey}\nquorum none\n`);
  const log = () => [FROM, "--to", newFile(), "--policy", policy];
  return {
    verify: [FROM, "--state", newFile()],
    audit: [FROM, "--state", newFile()],
    mirror: log(),
    monitor: [...log(), "--agent", "ada"],
    mcp: ["--url", FROM, "--token-file", newFile()],
  };
}

const CALL = { name: "network_read", arguments: { document: "mission" } };
const REQUEST = { jsonrpc: "2.0", id: 1, method: "tools/call", params: CALL };

/** Runs a command, with a host on its standard input that calls a tool and goes. */
async function run(name: string, words: readonly string[], variables: Record<string, string>) {
  const [file, ...before] = OURS;
  const { PATH } = process.env;
  const child = spawn(file, [...before, name, ...words], {
    env: { PATH, HOME: "/", ...variables },
  });
  child.stdout.resume();
  let err = "";
  child.stderr.on("data", (chunk) => (err += chunk));
  child.stdin.on("error", () => {});
  child.stdin.end(`${JSON.stringify(REQUEST)}\n`);
  const [code] = await once(child, "close");
  return { code, err };
}

test("commands that ask a network follow HTTPS_PROXY, and ask no proxy for NO_PROXY", async (t) => {
  const tries = Object.entries(wordsOf()).map(async ([name, words]) => {
    const { asked, url } = await deafProxy(t);
    await run(name, words, { HTTPS_PROXY: url, NO_PROXY: "localhost,.invalid" });
    assert.deepEqual([...asked], [], name);
    await run(name, words, { https_proxy: url, NO_PROXY: "example.org" });
    assert.deepEqual([...asked], ["cairn.invalid:443"], name);
  });
  await Promise.all(tries);
});

test("each of these commands is tried, and the service is none of them", async () => {
  const { own, operator } = await allCommands();
  const proxied = [...own, ...operator].filter((command) => command.proxied);
  assert.deepEqual(proxied.map(({ name }) => name).sort(), Object.keys(wordsOf()).sort());
});

test("a service is verified through HTTP_PROXY, also one on this machine", async (t) => {
  const origin = "example.org/test";
  const ada = operatorOf(1);
  const chain = chainOf([{ covers: [...genesisOf(origin, ada), ...posts(1)], by: ada, origin }]);
  const keys = [{ public_key: ada.pubkey, from_seq: 1, to_seq: null, anchored: true }];
  // A proxy gets targets in absolute form, which this service reads, too.
  const url = await listening(t, serviceOf(chain, origin, keys));
  const verify = (place: string, variables: Record<string, string>) =>
    runCairn(["verify", place, "--state", newFile()], variables);
  assert.equal((await verify("http://cairn.invalid", { HTTP_PROXY: url })).code, 0);
  const near = { HTTP_PROXY: "http://127.0.0.1:1", NO_PROXY: "localhost,127.0.0.1" };
  assert.equal((await verify(url, near)).code, 0);
  assert.equal((await verify(url, { ...near, NO_PROXY: "" })).code, 5, "loopback is no exception");
});

test("a proxy that is none is refused, and says which form it needs", async () => {
  const { code, err } = await runCairn(["verify", FROM, "--state", newFile()], {
    HTTPS_PROXY: "x",
  });
  assert.equal(code, 2);
  assert.match(err, /^HTTPS_PROXY and HTTP_PROXY must be URLs of a proxy, such as http:/);
});
