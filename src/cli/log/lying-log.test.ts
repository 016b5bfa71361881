import assert from "node:assert/strict";
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { writeLog } from "../../../test/log-files.ts";
import { newFile } from "../../../test/verify-run.ts";
import { signed } from "../../../test/witness-tree.ts";
import { largeEntry, VECTORS } from "../../../test/witness-vectors.ts";
import { entryText } from "../../platform/kernel/proof/entry.ts";
import { bundleOf } from "../../platform/kernel/tlog/tiles.ts";
import { endOf } from "../command/runner.ts";
import { verify } from "../verify/verify.ts";
import { mirror, monitor } from "./mirror.ts";

const AGENT = "ag_watched";
const entries = (count: number): Uint8Array[] =>
  Array.from({ length: count }, (_, i) => largeEntry(i));

/** An entry that names the agent. */
const naming = (id: number): Uint8Array =>
  Buffer.from(
    entryText({
      id,
      at: 1_900_000_000,
      kind: "coin_transfer",
      ref: `${id}`,
      body: JSON.stringify({ amount_micro: 1, from: AGENT, to: "ag_thief" }),
    }),
  );

function setting() {
  const [log, copy, policy] = [newFile(), newFile(), newFile()];
  writeFileSync(policy, `log ${VECTORS.log.vkey}\nquorum none\n`);
  const words = ["--to", copy, "--policy", policy];
  const sizeOf = () => Number(readFileSync(join(copy, "checkpoint"), "utf8").split("\n")[1]);
  return { log, copy, policy, words, sizeOf };
}

test("an entry that is none hides none after it, in this run or a later one", async () => {
  const { log, words, sizeOf } = setting();
  const watch = () => endOf(monitor, [log, ...words, "--agent", AGENT]);
  await writeLog(log, entries(10));
  const first = await watch();
  await first.printed?.();
  assert.equal(sizeOf(), 10);
  for (const bad of [Buffer.alloc(100, "x"), largeEntry(77)]) {
    await writeLog(log, [...entries(10), bad, naming(12)]);
    for (let run = 0; run < 2; run++) {
      const { exit_code, text, printed } = await watch();
      assert.equal(exit_code, 1);
      assert.match(text, /12 {2}coin_transfer 12\nEntry 11, which the signed checkpoint/);
      await printed?.();
      assert.equal(sizeOf(), 10, "the copy stays");
    }
    const copied = await endOf(mirror, [log, ...words]);
    assert.deepEqual([copied.exit_code, sizeOf()], [1, 10]);
    assert.match(copied.text, /Entry 11, .* is none: .*\. The copy stays at 10 entries\.$/);
  }
});

test("an entry that was not printed is new again", async () => {
  const { log, words, sizeOf } = setting();
  await writeLog(log, [...entries(10), naming(11)]);
  for (let run = 0; run < 2; run++) {
    const { text, printed } = await endOf(monitor, [log, ...words, "--agent", AGENT]);
    assert.match(text, /11 {2}coin_transfer 11/);
    if (run === 1) await printed?.(); // As the runner does when the text was written.
  }
  assert.equal(sizeOf(), 11);
  const { text } = await endOf(monitor, [log, ...words, "--agent", AGENT]);
  assert.match(text, /11 entries, nothing new\.$/);
});

test("a full bundle stands in for the partial ones of an earlier checkpoint", async () => {
  const { log, copy, words } = setting();
  const later = newFile();
  await writeLog(log, entries(300));
  await writeLog(later, entries(600));
  cpSync(join(log, "checkpoint"), join(later, "checkpoint"));
  for (let run = 0; run < 2; run++) {
    const { exit_code, text } = await endOf(mirror, [later, ...words]);
    assert.equal(exit_code, 0, text);
    assert.deepEqual(
      readFileSync(join(copy, "tile/entries/001.p/44")),
      readFileSync(join(log, "tile/entries/001.p/44")),
    );
    rmSync(copy, { recursive: true });
  }
});

test("a mark before a checkpoint was not signed: no reader takes it", async () => {
  const { log, policy, words } = setting();
  await writeLog(log, entries(10));
  const path = join(log, "checkpoint");
  writeFileSync(path, `\ufeff${readFileSync(path, "utf8")}`);
  const copied = await endOf(mirror, [log, ...words]);
  const verified = await endOf(verify, ["--log", log, "--policy", policy]);
  for (const { exit_code, text } of [copied, verified]) assert.notEqual(exit_code, 0, text);
});

/** A log whose operator has signed a size of which it has no entries. */
async function endless(t: TestContext, size: number, bundleAt: (n: number) => Uint8Array) {
  let files = 0;
  const server = createServer((req, res) => {
    files++;
    const path = req.url ?? "";
    if (path === "/checkpoint") return res.end(signed(size, Buffer.alloc(32, 7)));
    const numbers = /^\/tile\/(entries|\d+)\/([x\d/]+?)(?:\.p\/(\d+))?$/.exec(path);
    const n = Number((numbers?.[2] ?? "").replaceAll(/[x/]/g, ""));
    if (numbers?.[1] === "entries") return res.end(bundleAt(n));
    return res.end(Buffer.alloc(32 * Number(numbers?.[3] ?? 256), 1));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}`, files: () => files };
}

test("a mirror takes no log's word for its size", async (t) => {
  const { copy, words } = setting();
  const bundle = (n: number) =>
    bundleOf(Array.from({ length: 256 }, (_, i) => largeEntry(n * 256 + i)));
  const log = await endless(t, 2 ** 52, bundle);
  const { exit_code, text } = await endOf(mirror, [log.address, ...words]);
  assert.equal(exit_code, 5, text);
  assert.match(text, /are not under its checkpoint/);
  assert.ok(log.files() < 2 ** 16 / 256 + 512, `${log.files()} files`);
  assert.ok(!existsSync(join(copy, "staged")));
});
