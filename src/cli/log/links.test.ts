import assert from "node:assert/strict";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { writeLog } from "../../../test/log-files.ts";
import { largeEntry, VECTORS } from "../../../test/witness-vectors.ts";
import { replaceDurably } from "../../main/service/operator-key.ts";
import { noteBackup } from "../../main/storage/last-backup.ts";
import { writeWhole } from "../../verify/platform.ts";
import { endOf } from "../command/runner.ts";
import { place } from "./log-folder.ts";
import { mirror } from "./mirror.ts";

/** A folder, and a file elsewhere that nobody may touch. */
function scene(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), "cairn-links-"));
  t.after(() => rmSync(root, { recursive: true }));
  const [folder, victim] = [join(root, "ours"), join(root, "victim")];
  mkdirSync(folder);
  writeFileSync(victim, "precious");
  const isWhole = () => assert.equal(readFileSync(victim, "utf8"), "precious");
  return { root, folder, victim, isWhole };
}

const UNDER_WAY = /^save\.ndjson\.partial-[0-9a-f]{32}$/;

test("a file under way has a name of its own, which leads nowhere else", async (t) => {
  const { folder, victim, isWhole } = scene(t);
  const file = join(folder, "save.ndjson");
  symlinkSync(victim, `${file}.partial-${process.pid}`);
  const names = new Set<string>();
  async function* text() {
    yield "one\n";
    while (names.size < 2) {
      await new Promise((resolve) => setImmediate(resolve));
      for (const name of readdirSync(folder)) if (UNDER_WAY.test(name)) names.add(name);
    }
    yield "two\n";
  }
  await Promise.all([writeWhole(file, text()), writeWhole(file, text())]);
  assert.equal(readFileSync(file, "utf8"), "one\ntwo\n");
  isWhole();
  assert.equal(names.size, 2, "two writers of one file do not meet");
  async function* failing() {
    yield "one\n";
    throw new Error("The network is away.");
  }
  await assert.rejects(writeWhole(file, failing()));
  assert.equal(readFileSync(file, "utf8"), "one\ntwo\n", "whole or not at all");
  assert.equal(readdirSync(folder).length, 2, "nothing is left behind");
});

test("a link that waits for a file under way is removed, and its target stays", (t) => {
  const { folder, victim, isWhole } = scene(t);
  const writers = {
    "tile/0/000.next": () => place(folder, "tile/0/000", "new"),
    "memory.json.next": () => replaceDurably(join(folder, "memory.json"), "new"),
    "last-backup.json.unfinished": () => noteBackup(folder, { at: 1, file: "new" }),
  };
  mkdirSync(join(folder, "tile/0"), { recursive: true });
  for (const [name, write] of Object.entries(writers)) {
    const path = join(folder, name);
    symlinkSync(victim, path);
    write();
    isWhole();
    const written = path.replace(/\.(next|unfinished)$/, "");
    assert.match(readFileSync(written, "utf8"), /new/);
    assert.ok(lstatSync(written).isFile());
  }
});

test("a link in the place of a mirror's own folder is not followed", async (t) => {
  const { root, folder, isWhole } = scene(t);
  const [log, policy] = [join(root, "log"), join(root, "policy")];
  await writeLog(log, [largeEntry(0), largeEntry(1)]);
  writeFileSync(policy, `log ${VECTORS.log.vkey}\nquorum none\n`);
  const elsewhere = join(root, "elsewhere");
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, "precious"), "precious");
  symlinkSync(elsewhere, join(folder, "staged"));
  const { exit_code, text } = await endOf(mirror, [log, "--to", folder, "--policy", policy]);
  assert.equal(exit_code, 0, text);
  assert.deepEqual(readdirSync(elsewhere), ["precious"]);
  isWhole();
});
