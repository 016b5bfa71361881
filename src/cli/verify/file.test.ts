import assert from "node:assert/strict";
import { access, readFile, writeFile } from "node:fs/promises";
import { test } from "node:test";
import fc from "fast-check";
import {
  type Chain,
  chainOf,
  genesisOf,
  operatorOf,
  posts,
  rotationOf,
} from "../../../test/chain.ts";
import { type Answer, listening, Raw, serviceOf } from "../../../test/chain-server.ts";
import { newFile, verifyJson } from "../../../test/verify-run.ts";
import { fileChain } from "../../verify/file.ts";
import { NOBODY, walkChain } from "../../verify/walk.ts";
import { Stop } from "../command/stop.ts";

const origin = "example.org/test";
const [ada, bo] = [operatorOf(1), operatorOf(2)];
const keys = [{ public_key: ada.pubkey, from_seq: 1, to_seq: null, anchored: true }];
const rotation = rotationOf({ origin, rotation: 1, from: ada, to: bo });
const chain = chainOf([
  { covers: [...genesisOf(origin, ada), ...posts(1, 2), rotation], by: ada, origin },
  { covers: posts(3), by: bo, origin },
  { covers: posts(4, 5), by: bo, origin },
]);
const service = serviceOf(chain, origin, keys);

for (const depth of [[], ["--entries"]]) {
  test(`a chain saved with ${depth.join() || "its links"} verifies without its service`, async (t) => {
    const copy = newFile();
    const saved = await verifyJson([await listening(t, service), "--save", copy, ...depth]);
    assert.equal(saved.exit_code, 0);
    const read = await verifyJson([copy, ...depth]);
    assert.equal(read.exit_code, 0);
    const { seals, entries, head, checked } = read.report;
    const { report } = saved;
    assert.deepEqual(
      { seals, entries, head, checked },
      {
        seals: report["seals"],
        entries: report["entries"],
        head: report["head"],
        checked: depth.length === 0 ? "links" : "entries",
      },
    );
  });
}

test("a saved chain is one JSON object a line, entries before the seal over them", async (t) => {
  const copy = newFile();
  await verifyJson([await listening(t, service), "--save", copy, "--entries"]);
  const lines = (await readFile(copy, "utf8")).trimEnd().split("\n");
  const [header, ...records] = lines.map((line) => JSON.parse(line));
  const { type, version, entries, head } = header;
  const last = chain.seals.at(-1);
  assert.deepEqual(
    { type, version, origin: header.origin, keys: header.keys, entries, head },
    {
      type: "cairn-export",
      version: 1,
      origin,
      keys,
      entries: true,
      head: { seq: 3, seal_hash: last?.seal_hash },
    },
  );
  assert.equal(records.map((record) => record.type.at(0)).join(""), "eeeeseseeS".toLowerCase());
});

/** A copy on disk, with every entry. */
async function copyOf(served: Chain): Promise<{ path: string; bytes: Buffer }> {
  const path = newFile();
  const { header, lines } = exportOf(served);
  const bytes = Buffer.from(
    `${[header, ...lines].map((line) => JSON.stringify(line)).join("\n")}\n`,
  );
  await writeFile(path, bytes);
  return { path, bytes };
}

function exportOf({ entries, seals }: Chain) {
  const { seq = 0, seal_hash = "" } = seals.at(-1) ?? {};
  const head = { seq, seal_hash };
  const header = { type: "cairn-export", version: 1, origin, keys, entries: true, head };
  const lines = seals.flatMap((seal) => [
    ...entries
      .filter(({ id }) => id >= seal.from_id && id <= seal.to_id)
      .map(({ body, leaf, ...entry }) => {
        return { type: "entry", ...entry, body: JSON.parse(body), text: {}, leaf: leaf.toHex() };
      }),
    { type: "seal", ...seal },
  ]);
  return { header, lines };
}

test("200 random edits of a copy after its first line are found, every one", async () => {
  const { bytes } = await copyOf(chain);
  const start = bytes.indexOf("\n") + 1;
  const path = newFile();
  const places = fc.record({
    at: fc.nat(bytes.length - start - 2),
    change: fc.integer({ min: 1, max: 255 }),
  });
  const edits = fc.asyncProperty(places, async ({ at, change }) => {
    const edited = Buffer.from(bytes);
    edited[start + at] = (edited[start + at] ?? 0) ^ change;
    await writeFile(path, edited);
    assert.notEqual(
      await faultsIn(path),
      0,
      edited.subarray(start + at - 20, start + at + 20).toString(),
    );
  });
  await fc.assert(edits, { numRuns: 200 });
});

/** A line that is none counts as one fault. */
async function faultsIn(path: string): Promise<number> {
  try {
    const { faults } = await walkChain(
      await fileChain(path),
      { origin, keys: [ada.pubkey] },
      NOBODY,
    );
    return faults;
  } catch (error) {
    assert(error instanceof Stop);
    return 1;
  }
}

test("a copy that was cut, or whose lines were taken out or moved, does not verify", async () => {
  const { path, bytes } = await copyOf(chain);
  assert.equal(await faultsIn(path), 0);
  const lines = bytes.toString().trimEnd().split("\n");
  for (let at = 1; at < lines.length; at++) {
    const [line = "", ...rest] = lines.slice(at);
    const before = lines.slice(0, at);
    for (const edited of [before, [...before, ...rest], [...before, ...rest, line]]) {
      if (edited.length === lines.length && rest.length === 0) continue; // The last line stayed last.
      await writeFile(path, `${edited.join("\n")}\n`);
      assert.notEqual(await faultsIn(path), 0, `line ${at}`);
    }
  }
});

test("a text with any line separator of Unicode stays on its line", async () => {
  const copy = await copyOf(chain);
  const spaced = copy.bytes.toString().replace(`"text":{}`, `"text":{},"later":"a\u2028b\u0085c"`);
  await writeFile(copy.path, spaced);
  assert.equal(await faultsIn(copy.path), 0);
});

test("a copy is compared with what is remembered, and adds nothing to it", async (t) => {
  const url = await listening(t, service);
  const { state } = await verifyJson([url]);
  const older = await copyOf({ ...chain, seals: chain.seals.slice(0, 2) });
  const read = await verifyJson([older.path], state);
  assert.deepEqual([read.exit_code, read.history], [0, "older"]);
  const other = chainOf([
    { covers: [...genesisOf(origin, ada), ...posts(1, 9), rotation], by: ada, origin },
    { covers: posts(3), by: bo, origin },
    { covers: posts(4), by: bo, origin },
  ]);
  const rewritten = await verifyJson([(await copyOf(other)).path], state);
  assert.deepEqual([rewritten.exit_code, rewritten.history], [3, "rewritten"]);
  const own = newFile();
  await verifyJson([(await copyOf(chain)).path], own);
  await assert.rejects(access(own));
});

test("a file that is no saved chain is refused in a sentence", async () => {
  const path = newFile();
  for (const text of ["", "\n", "<html>", "{}", `{"type":"cairn-export","version":2}`]) {
    await writeFile(path, text);
    const { exit_code, error } = await verifyJson([path]);
    assert.equal(exit_code, 5);
    assert.match(error, /This is no line of a saved chain\.$|is empty\.$/);
  }
  assert.equal((await verifyJson([newFile()])).exit_code, 5);
  const { header, lines } = exportOf(chain);
  const links = [{ ...header, entries: false }, ...lines].map((line) => JSON.stringify(line));
  await writeFile(path, links.join("\n"));
  assert.equal((await verifyJson([path, "--entries"])).exit_code, 2);
});

test("a copy appears when it is whole, or not at all", async (t) => {
  const copy = newFile();
  const failing: Answer = (path, query) =>
    path === "/since" && query.get("after_id") !== "0" ? new Raw(500, "") : service(path, query);
  const pages: Answer = (path, query) => {
    if (path === "/since") query.set("limit", "2");
    return failing(path, query);
  };
  const { exit_code } = await verifyJson([await listening(t, pages), "--entries", "--save", copy]);
  assert.equal(exit_code, 5);
  await assert.rejects(access(copy));
  await assert.rejects(access(`${copy}.partial`));
  const nowhere = `${newFile()}/chain.ndjson`;
  const url = await listening(t, service);
  assert.equal((await verifyJson([url, "--save", nowhere])).exit_code, 2);
});

test("a memory that is damaged, or has no place, is told and not overwritten", async (t) => {
  const url = await listening(t, service);
  const state = newFile();
  await writeFile(state, "{}");
  assert.equal((await verifyJson([url], state)).exit_code, 2);
  assert.equal(await readFile(state, "utf8"), "{}");
  assert.equal((await verifyJson([url], `${state}/heads.json`)).exit_code, 2);
});
