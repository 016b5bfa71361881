import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { OURS, runCairn } from "./process.ts";

const UNPRINTED = "The result was not printed: standard output takes nothing (ENOSPC).\n";
const [node, ...program] = OURS;

test("a full standard output is told in a sentence, and the result keeps its exit code", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-full-output-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const full = openSync("/dev/full", "w");
  t.after(() => closeSync(full));
  const env = { ...process.env, CAIRN_DATA_DIR: join(folder, "data"), CAIRN_ADMIN_PORT: "0" };
  const begun = await runCairn(["init"], { CAIRN_DATA_DIR: env.CAIRN_DATA_DIR });
  assert.equal(begun.code, 0, begun.err);
  const run = (words: readonly string[], input = "") => {
    const stdio = ["pipe", full, "pipe"] as const;
    const ended = spawnSync(node, [...program, ...words], {
      env,
      input,
      encoding: "utf8",
      stdio: [...stdio],
    });
    return [ended.status, ended.stderr];
  };
  const commands = [
    ["--version"],
    ["--help"],
    ["agent", "--help"],
    ["doctor"],
    ["backup", join(folder, "copy.db")],
  ];
  for (const words of commands) assert.deepEqual(run(words), [2, UNPRINTED], words.join(" "));
  assert.deepEqual(run(["verify", join(folder, "none"), "--json"]), [5, UNPRINTED]);
  assert.deepEqual(run(["verify", join(folder, "copy.db")]), [2, UNPRINTED], "the copy was made");
  const hello = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "x", version: "1" },
  };
  const message = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: hello });
  const bridge = ["mcp", "--url", "http://127.0.0.1:1", "--token-file", join(folder, "token")];
  const [code, said] = run(bridge, `${message}\n`);
  assert.equal(code, 2);
  assert.match(String(said), /The host cannot be answered: ENOSPC\.\n$/);
});

test("a folder that is not there, and a key that is a folder, are named", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-none-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const CAIRN_DATA_DIR = join(folder, "data");
  assert.equal((await runCairn(["init"], { CAIRN_DATA_DIR })).code, 0);
  const copy = await runCairn(["backup", `${folder}/none/`], { CAIRN_DATA_DIR });
  const sentence = `There is no folder ${folder}/none/: make it, or name a file.\n`;
  assert.deepEqual(copy, { code: 1, out: "", err: sentence });
  const key = join(folder, "key");
  mkdirSync(key);
  const begun = await runCairn(["init"], {
    CAIRN_DATA_DIR: join(folder, "other"),
    CAIRN_SIGNING_KEY_FILE: key,
  });
  assert.deepEqual([begun.code, begun.err], [1, `The key ${key} is not a file.\n`]);
});
