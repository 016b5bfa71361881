import assert from "node:assert/strict";
import { test } from "node:test";
import { big, signed, small, treeOf } from "../../../../test/witness-tree.ts";
import { largeEntry, SMALL, VECTORS } from "../../../../test/witness-vectors.ts";
import { sha256 } from "../../ledger/sha256.ts";
import { fromHex, toHex } from "../bytes.ts";
import { logNode } from "../proof/merkle.ts";
import { receiptText } from "./checkpoint.ts";
import {
  entriesOf,
  hashesOf,
  isWithin,
  levelsOf,
  parseTilePath,
  type Tile,
  tilePath,
  tilesBetween,
} from "./tiles.ts";
import { consistencyRanges, inclusionRanges, inclusionRoot, isConsistent } from "./tree.ts";

const node = logNode(sha256);
const { large } = VECTORS;

/**
 * RFC 6962, 2.1, as it stands there: slow, and by another way than the code. Each hash of a range of
 * leaves is made once.
 */
function rfc6962(leaves: readonly Uint8Array[]) {
  const known = new Map<string, Uint8Array>();
  const split = (from: number, to: number) => from + 2 ** Math.ceil(Math.log2(to - from) - 1);

  function hashed(from: number, to: number): Uint8Array {
    const k = split(from, to);
    return to - from === 1 ? (leaves[from] ?? assert.fail()) : node(mth(from, k), mth(k, to));
  }
  function mth(from: number, to: number): Uint8Array {
    const range = `${from}-${to}`;
    const hash = known.get(range) ?? hashed(from, to);
    known.set(range, hash);
    return hash;
  }
  function path(m: number, from: number, to: number): Uint8Array[] {
    if (to - from === 1) return [];
    const k = split(from, to);
    return m < k ? [...path(m, from, k), mth(k, to)] : [...path(m, k, to), mth(from, k)];
  }
  function subproof(m: number, from: number, to: number, whole: boolean): Uint8Array[] {
    if (m === to) return whole ? [] : [mth(from, to)];
    const k = split(from, to);
    return m <= k
      ? [...subproof(m, from, k, whole), mth(k, to)]
      : [...subproof(m, k, to, false), mth(from, k)];
  }
  return { mth, path, subproof };
}

test("tile paths have one spelling", () => {
  for (const [n, path] of VECTORS.tile_paths) {
    assert.equal(tilePath({ level: 0, n, width: 256 }), `tile/0/${path}`);
    assert.deepEqual(parseTilePath(`tile/63/${path}`), { level: 63, n, width: 256 });
    const partial = `tile/entries/${path}.p/17`;
    assert.deepEqual(parseTilePath(partial), { level: "entries", n, width: 17 });
  }
  for (const wrong of [
    "tile/0/1",
    "tile/0/0001",
    "tile/00/001",
    "tile/64/001",
    "tile/0/x000/001",
    "tile/0/001/",
    "tile/0/001.p/0",
    "tile/0/001.p/256",
    "tile/0/001.p/300",
    "tile/0/001.p/01",
    "tile/0/001.p/",
    "tile/-1/001",
    "tile/0/001/x001",
    "tile/entries",
    "tile/data/001",
    "TILE/0/001",
    "tile/0/X001/001",
  ])
    assert.equal(parseTilePath(wrong), null, wrong);
});

test("tiles and bundles are those of the vectors, in all 551 places", () => {
  for (const { path, bytes, sha256: hash } of VECTORS.small_tiles) {
    const tile = parseTilePath(path);
    const made = tile && small.tile(tile);
    assert.deepEqual([made?.length, toHex(sha256(made ?? SMALL[0] ?? Buffer.of()))], [bytes, hash]);
  }
  for (const { path, bytes, sha256: hash } of large.some_tiles) {
    const tile = parseTilePath(path);
    assert(tile !== null && isWithin(tile, 70_000));
    assert.deepEqual([big.tile(tile).length, toHex(sha256(big.tile(tile)))], [bytes, hash], path);
    assert.equal(isWithin({ ...tile, width: tile.width + 1 }, 70_000) && tile.width < 256, false);
  }
  const all = [...levelsOf(70_000), "entries" as const].flatMap((level) => [
    ...tilesBetween(level, 0, 70_000),
  ]);
  assert.equal(all.length, large.tile_count.all);
  assert.equal(
    all.filter(({ level, width }) => level === 0 && width === 256).length,
    large.tile_count.level0_full,
  );
  assert.equal(hashesOf(1, 70_000), 273);
  const last: Tile = { level: "entries", n: 273, width: 112 };
  assert.equal(entriesOf(big.tile(last), 112)?.length, 112);
  assert.equal(entriesOf(big.tile(last), 111), null);
  assert.equal(entriesOf(big.tile(last).subarray(1), 112), null);
});

test("roots and proofs of the large tree are those of the vectors, and its checkpoint", () => {
  for (const { size, root } of large.roots)
    assert.equal(toHex(big.rootOf({ from: 0, to: size })), root);
  for (const { from, to, hashes, sha256_of_concat } of large.consistency) {
    const proof = consistencyRanges(from, to).map(big.rootOf);
    assert.deepEqual(
      [proof.length, toHex(sha256(Buffer.concat(proof)))],
      [hashes, sha256_of_concat],
    );
  }
  for (const { index, size, hashes, sha256_of_concat } of large.inclusion) {
    const proof = inclusionRanges(index, size).map(big.rootOf);
    assert.deepEqual(
      [proof.length, toHex(sha256(Buffer.concat(proof)))],
      [hashes, sha256_of_concat],
    );
  }
  assert.equal(signed(70_000, big.rootOf({ from: 0, to: 70_000 })), large.checkpoint_70000);
});

test("the receipt of entry 5 is that of the vectors", () => {
  const { index, text } = VECTORS.tlog_proof;
  const note = text.slice(text.indexOf("\n\n") + 2);
  const path = inclusionRanges(index, 13).map(small.rootOf);
  assert.equal(receiptText({ index, path, note }), text);
});

test("proofs of all sizes up to 130 are those of RFC 6962, and no other is taken for one", () => {
  const leaves = small.leaves.concat(big.leaves).slice(0, 130);
  const tree = treeOf(
    [...SMALL, ...Array.from({ length: 130 }, (_, i) => largeEntry(i))].slice(0, 130),
  );
  const { mth, path, subproof } = rfc6962(leaves);
  for (let size = 1; size <= 130; size++) {
    const root = mth(0, size);
    assert.deepEqual(tree.rootOf({ from: 0, to: size }), root);
    const now = { size, root };
    for (let m = 1; m <= size; m++) {
      const old = { size: m, root: tree.rootOf({ from: 0, to: m }) };
      const proof = consistencyRanges(m, size).map(tree.rootOf);
      assert.deepEqual(proof, subproof(m, 0, size, true));
      assert(isConsistent(old, now, proof, node));
      assert(!isConsistent({ ...old, root: fromHex("00".repeat(32)) }, now, proof, node));
      assert(!isConsistent(old, now, [...proof, root], node));
      if (proof.length > 0) assert(!isConsistent(old, now, proof.slice(1), node));
      const way = inclusionRanges(m - 1, size).map(tree.rootOf);
      assert.deepEqual(way, path(m - 1, 0, size));
      const place = { index: m - 1, size };
      const leaf = leaves[m - 1] ?? root;
      assert.deepEqual(inclusionRoot(leaf, place, way, node), root);
      assert.equal(inclusionRoot(leaf, place, [...way, root], node), null);
      if (m < size) assert.notDeepEqual(inclusionRoot(leaf, { index: m, size }, way, node), root);
    }
  }
  assert(
    isConsistent(
      { size: 0, root: sha256(new Uint8Array()) },
      { size: 1, root: mth(0, 1) },
      [],
      node,
    ),
  );
});
