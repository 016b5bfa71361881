import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { Stop } from "../command/stop.ts";
import { defaultPlace, demandNetwork } from "./token-place.ts";

const TOKEN = `sk_${"0".repeat(48)}\n`;

/** Networks whose folders were the same before there were records, the plain one first. */
const ALIKE = [
  ["https://h.example/pass", "https://h.example/~pass", "https://h.example/pass_"],
  [
    "https://h.example/a/b",
    "https://h.example/a_b",
    "https://h.example/a~b",
    "http://h.example:443/a/b",
  ],
  ["https://h.example", "https://h.example/~", "http://h.example:443"],
  ["http://127.0.0.1:8080", "https://127.0.0.1:8080"],
] as const;

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "cairn-places-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A token at a place, as a bridge leaves it, or one of an earlier version. */
function put(place: string): void {
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(place, TOKEN);
}

test("no two networks have one place, in whichever order they are met", async (t) => {
  for (const alike of ALIKE)
    for (const order of [alike, alike.toReversed()]) {
      const folder = folderFor(t);
      const places = new Map<string, string>();
      for (const url of order) {
        const place = defaultPlace(folder, url);
        put(place);
        await demandNetwork(place, url);
        places.set(url, place);
      }
      assert.equal(new Set(places.values()).size, order.length, order.join());
      for (const [url, place] of places) assert.equal(defaultPlace(folder, url), place);
    }
});

test("a token of an earlier version is its plain network's, and nobody else gets it", async (t) => {
  for (const [plain, ...others] of ALIKE.slice(0, 3)) {
    const folder = folderFor(t);
    const place = defaultPlace(folder, plain);
    put(place);
    for (const other of others) {
      assert.throws(() => defaultPlace(folder, other), Stop, other);
    }
    assert.equal(defaultPlace(folder, plain), place);
    demandNetwork(place, plain);
    assert.equal(readFileSync(`${place}.network`, "utf8"), `${plain}\n`);
    for (const other of others) {
      assert.notEqual(defaultPlace(folder, other), place);
      assert.throws(() => demandNetwork(place, other), /is kept for .*, and this network is /);
    }
  }
});
