import assert from "node:assert/strict";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileServer, writeLog } from "../../../test/log-files.ts";
import { operate } from "../../../test/operator.ts";
import { ENGINES, openTestService, seededRandom } from "../../../test/service.ts";
import { newFile, verifyRun } from "../../../test/verify-run.ts";
import { VECTORS } from "../../../test/witness-vectors.ts";
import { type EntryBody, entryText, flatJson } from "../../platform/kernel/proof/entry.ts";
import {
  levelsOf,
  parseTilePath,
  TILE_WIDTH,
  tilePath,
  tilesBetween,
} from "../../platform/kernel/tlog/tiles.ts";

const { log } = VECTORS;
const origin = "example.org/agent-network";

type Draft = readonly [kind: string, ref: string, body: EntryBody];

const BEGUN: readonly Draft[] = [
  ["genesis", "1", { origin, protocol_version: 1, rules: 1 }],
  ["log_key", "1/1", { epoch: 1, log_origin: log.origin, pubkey: log.pubkey }],
];

/** Entries of a ledger with this log; `edit` changes what an entry says. */
function entries(count: number, edit: (id: number) => Draft | undefined = () => undefined) {
  return Array.from({ length: count }, (_, i) => {
    const id = i + 1;
    const usual = BEGUN[i] ?? ["heartbeat", `${i}`, { after_id: i }];
    const [kind, ref, body] = edit(id) ?? usual;
    return Buffer.from(entryText({ id, at: 1_760_000_000 + i, kind, ref, body: flatJson(body) }));
  });
}

async function run(address: string, ...options: string[]) {
  const { exit_code, text } = await verifyRun(["--log", address, ...options, "--json"]);
  const report: Record<string, unknown> = JSON.parse(text);
  const { findings = [] } = report;
  assert(Array.isArray(findings), text);
  const places = new Set(findings.map(({ file, ledger_id }) => `${file} ${ledger_id}`));
  const reasons = findings.map(({ reason }) => String(reason)).join("; ");
  return { exit_code, report, places: [...places], reasons, text };
}

async function policyOf(text: string): Promise<string> {
  const path = newFile();
  writeFileSync(path, text);
  return path;
}

test("a log verifies from its files, in a folder and behind any web server", async (t) => {
  for (const size of [2, 256, 300, 66_000]) {
    const folder = newFile();
    await writeLog(folder, entries(size));
    for (const address of [folder, await fileServer(t, folder)]) {
      const { exit_code, report, text } = await run(address);
      assert.deepEqual([exit_code, report["entries"], report["faults"]], [0, size, 0], text);
      const files = [...levelsOf(size), "entries" as const].flatMap((level) => [
        ...tilesBetween(level, 0, size),
      ]);
      assert.equal(report["files"], files.length, "every file is read, once");
    }
  }
  const folder = newFile();
  await writeLog(folder, entries(10));
  const { text } = await verifyRun(["--log", folder]);
  assert.match(text, /\nNot checked against witnesses\.\nThe log verifies\.$/);
  assert.equal((await verifyRun([folder, "--log", folder])).exit_code, 2);
  assert.equal((await verifyRun([])).exit_code, 2);
});

/** Where a byte of a file is, as a finding names it. */
function placeOf(path: string, bytes: Uint8Array, at: number): string {
  const tile = parseTilePath(path);
  if (tile === null) return `${path} null`;
  const first = tile.n * TILE_WIDTH;
  if (tile.level !== "entries")
    return `${path} ${(first + Math.floor(at / 32)) * TILE_WIDTH ** tile.level + 1}`;
  for (let [id, next] = [first + 1, 0]; ; id++) {
    const end = next + 2 + (bytes[next] ?? 0) * 256 + (bytes[next + 1] ?? 0);
    if (at < next + 2) return `${path} ${first + 1}`; // No length fits any more.
    if (at < end) return `${path} ${id}`;
    next = end;
  }
}

/** In each small file. */
const FLIPS = process.env["TEST_ROUNDS"] === undefined ? 3 : 100;

test("one flipped byte is found in each kind of file, with its place and nothing else", async () => {
  const random = seededRandom("flipped");
  const below = (n: number): number => Buffer.from(random(4)).readUInt32LE() % n;
  for (const [size, paths] of [
    [66_000, ["tile/1/000", "tile/1/001.p/1", "tile/2/000.p/1"]],
    [700, ["tile/entries/001", "tile/entries/002.p/188", "tile/0/000", "tile/0/002.p/188"]],
    [700, ["tile/1/000.p/2", "checkpoint"]],
  ] as const) {
    const folder = newFile();
    await writeLog(folder, entries(size));
    for (const path of paths)
      for (let round = 0; round < (size > 1_000 ? 1 : FLIPS); round++) {
        const bytes = readFileSync(join(folder, path));
        const at = below(bytes.length);
        const flipped = Buffer.from(bytes);
        flipped[at] = (flipped[at] ?? 0) ^ (1 << below(8));
        writeFileSync(join(folder, path), flipped);
        const { exit_code, places, reasons, report } = await run(folder);
        const where = `${path}, byte ${at}: ${places} ${reasons} ${report["error"]}`;
        writeFileSync(join(folder, path), bytes);
        if (path === "checkpoint" && exit_code === 5) continue; // It is no checkpoint any more.
        assert.equal(exit_code, 1, where);
        if (path === "checkpoint")
          assert(
            places.some((each) => each.startsWith("checkpoint")),
            where,
          );
        else assert.deepEqual(places, [placeOf(path, bytes, at)], where);
      }
    assert.equal((await run(folder)).exit_code, 0);
  }
});

test("a file that is missing or cut is named", async () => {
  const folder = newFile();
  await writeLog(folder, entries(700));
  for (const path of ["tile/entries/000", "tile/0/002.p/188", "tile/1/000.p/2"]) {
    const bytes = readFileSync(join(folder, path));
    rmSync(join(folder, path));
    const missing = await run(folder);
    assert.equal(missing.exit_code, 5, path);
    assert.deepEqual(missing.places, [`${path} ${path.includes("002") ? 513 : 1}`]);
    for (const cut of [
      bytes.subarray(0, -1),
      bytes.subarray(0, 32),
      Buffer.concat([bytes, bytes]),
    ]) {
      writeFileSync(join(folder, path), cut);
      const { exit_code, places, reasons } = await run(folder);
      assert.deepEqual([exit_code, places], [1, missing.places], reasons);
    }
    writeFileSync(join(folder, path), bytes);
  }
  const both = ["tile/entries/001", "tile/0/001"];
  for (const path of both) renameSync(join(folder, path), join(folder, `${path}.away`));
  assert.deepEqual(
    (await run(folder)).places.toSorted(),
    both.map((path) => `${path} 257`).toSorted(),
  );
  renameSync(join(folder, "tile/1/000.p/2"), join(folder, "tile/1/away"));
  assert.equal((await run(folder)).exit_code, 5, "nothing is known of what is above");
  rmSync(join(folder, "checkpoint"));
  assert.equal((await run(folder)).exit_code, 5);
  assert.equal((await run(newFile())).exit_code, 5);
});

test("an export that was stopped between two checkpoints still verifies", async () => {
  const [folder, later] = [newFile(), newFile()];
  await writeLog(folder, entries(700));
  await writeLog(later, entries(800));
  for (const level of ["entries", 0]) {
    renameSync(join(later, `tile/${level}/002`), join(folder, `tile/${level}/002`));
    rmSync(join(folder, `tile/${level}/002.p`), { recursive: true });
  }
  const { exit_code, reasons } = await run(folder);
  assert.equal(exit_code, 0, reasons);
});

test("history that was changed in all files is another tree than the signed one", async () => {
  const [folder, other] = [newFile(), newFile()];
  await writeLog(folder, entries(700));
  const note = readFileSync(join(folder, "checkpoint"));
  const forged: Draft = ["heartbeat", "forged", { after_id: 0 }];
  await writeLog(
    other,
    entries(700, (id) => (id === 300 ? forged : undefined)),
  );
  assert.equal((await run(other)).exit_code, 0);
  for (const path of ["tile/entries/001", "tile/0/001"])
    writeFileSync(join(folder, path), readFileSync(join(other, path)));
  assert((await run(folder)).places.includes("tile/1/000.p/2 257"));
  writeFileSync(join(other, "checkpoint"), note);
  const { exit_code, places, reasons } = await run(other);
  assert.deepEqual([exit_code, places], [1, ["checkpoint null"]]);
  assert.match(reasons, /the files make another tree of 700 entries/);
});

test("entries have to be a ledger's, and the checkpoint the log's", async () => {
  const faulty: Readonly<Record<string, readonly [(id: number) => Draft | undefined, RegExp]>> = {
    "a name twice": [
      (id) => (id === 9 ? ["heartbeat", "5", { after_id: 5 }] : undefined),
      /an earlier entry has its kind and ref/,
    ],
    "another genesis": [
      (id) => (id === 1 ? ["genesis", "1", { origin: "example.org/else", rules: 1 }] : undefined),
      /it names the origin example\.org\/else/,
    ],
    "no genesis": [
      (id) => (id === 1 ? ["heartbeat", "1000", { after_id: 0 }] : undefined),
      /entry 1 is no genesis/,
    ],
    "another key of the log": [
      (id) =>
        id === 2
          ? ["log_key", "1/1", { epoch: 1, log_origin: log.origin, pubkey: VECTORS.witness.pubkey }]
          : undefined,
      /it is not signed with the key that the entries name/,
    ],
    "no key of the log": [
      (id) => (id === 2 ? ["heartbeat", "1000", { after_id: 1 }] : undefined),
      /no entry names the key of the log/,
    ],
  };
  for (const [what, [edit, reason]] of Object.entries(faulty)) {
    const folder = newFile();
    await writeLog(folder, entries(20, edit));
    const { exit_code, reasons } = await run(folder);
    assert.equal(exit_code, 1, what);
    assert.match(reasons, reason, what);
  }
  const folder = newFile();
  await writeLog(folder, [...entries(9), ...entries(8).slice(7)]);
  const { reasons } = await run(folder);
  assert.match(reasons, /its id says 8/);
});

test("a policy names the log and its witnesses; a pinned key and origin have to be the ledger's", async () => {
  const folder = newFile();
  await writeLog(folder, entries(20));
  const own = await policyOf(`log ${log.vkey}\nquorum none\n`);
  const { exit_code, report } = await run(folder, "--policy", own);
  assert.deepEqual([exit_code, report["key_source"]], [0, "policy"]);
  const witnessed = await run(folder, "--policy", await policyOf(VECTORS.policy));
  assert.match(witnessed.reasons, /its witnesses are no quorum/);
  const foreign = log.vkey.replace("example.org/", "example.com/");
  const wrong = await policyOf(`log ${foreign}\nquorum none\n`);
  assert.equal((await run(folder, "--policy", wrong)).exit_code, 2, "its key id does not fit");
  assert.equal((await run(folder, "--origin", origin)).exit_code, 0);
  assert.match((await run(folder, "--origin", "example.org/else")).reasons, /it is a log of/);
  const pinned = await run(folder, "--key", log.pubkey);
  assert.match(pinned.reasons, /genesis names no key/);
});

for (const engine of ENGINES)
  test(`an export verifies after the service has stopped [${engine}]`, async () => {
    const service = await openTestService(engine, "stopped");
    const folder = newFile();
    let keys: readonly { readonly public_key: string }[] = [];
    try {
      const ada = await service.register("ada");
      await operate(service.service, "log init");
      for (let i = 0; i < 300; i++) await ada.post("/post", { body: `post ${i}` });
      await service.seal();
      await operate(service.service, "log export", "--to", folder);
      keys = (await service.get("/verify")).body.keys;
    } finally {
      await service.close();
    }
    const { exit_code, report, text } = await run(folder);
    assert.equal(exit_code, 0, text);
    assert(Number(report["entries"]) > 300);
    const [key = ""] = keys.map(({ public_key }) => public_key);
    assert.equal((await run(folder, "--key", key)).exit_code, 0);
    assert.match((await run(folder, "--key", log.pubkey)).reasons, /it names another key/);
    const tile = tilePath({ level: "entries", n: 0, width: TILE_WIDTH });
    const bytes = readFileSync(join(folder, tile));
    bytes[5_000] = (bytes[5_000] ?? 0) ^ 4;
    writeFileSync(join(folder, tile), bytes);
    assert.equal((await run(folder)).exit_code, 1);
  });
