import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import vectors from "../../../../test/vectors/seal.json" with { type: "json" };
import {
  BLOCK_LEAVES,
  blockRootsOf,
  decodeFrontier,
  decodeTree,
  EMPTY_FRONTIER,
  encodeFrontier,
  encodeTree,
  fold,
  grow,
  leadsToRoot,
  logNode,
  merkleRoot,
  type NodeHash,
  nodesOf,
  pathOf,
  rootOf,
  rootOfTree,
  type Side,
  sealNode,
  sidesOf,
  treeOf,
} from "./merkle.ts";

const sha256 = (bytes: Uint8Array): Uint8Array => hash("sha256", bytes, "buffer");
const inSeal = sealNode(sha256);
const inLog = logNode(sha256);
const bytes = (hex: string): Uint8Array => Uint8Array.fromHex(hex);
const hex = (hash: Uint8Array): string => hash.toHex();

/** Leaves 0, 1, 2, …: any 32 bytes will do for a tree. */
const leavesOf = (count: number): Uint8Array[] =>
  Array.from({ length: count }, (_, i) => sha256(Uint8Array.of(i >> 8, i & 255)));

const powerBelow = (n: number): number => 2 ** Math.floor(Math.log2(n - 1));

/** The definition, word for word, against which the fast ways are held. */
function rootByDefinition(leaves: readonly Uint8Array[], node: NodeHash): Uint8Array {
  const [first] = leaves;
  assert(first !== undefined);
  if (leaves.length === 1) return first;
  const k = powerBelow(leaves.length);
  const left = rootByDefinition(leaves.slice(0, k), node);
  return node(left, rootByDefinition(leaves.slice(k), node));
}

function sidesByDefinition(i: number, n: number): Side[] {
  if (n === 1) return [];
  const k = powerBelow(n);
  return i < k
    ? [...sidesByDefinition(i, k), "right"]
    : [...sidesByDefinition(i - k, n - k), "left"];
}

test("vectors: roots and paths of the first 1 to 13 entries", () => {
  const leaves = vectors.entries.map(({ leaf }) => bytes(leaf));
  for (const { count, root, log_root, paths } of vectors.trees.items) {
    const covered = leaves.slice(0, count);
    assert.equal(hex(merkleRoot(covered, inSeal)), root);
    assert.equal(hex(merkleRoot(covered, inLog)), log_root);
    const tree = treeOf(covered, inSeal);
    assert.deepEqual(
      covered.map((_, index) => pathOf(tree, index)),
      paths,
    );
  }
});

test("vectors: the reference tree of Certificate Transparency (RFC 6962)", () => {
  const { inputs_hex, leaves, log_roots, seal_roots } = vectors.rfc6962_reference;
  const hashed = inputs_hex.map((input) => sha256(bytes(`00${input}`)));
  assert.deepEqual(hashed.map(hex), leaves);
  for (const [count, root] of Object.entries(log_roots))
    assert.equal(hex(merkleRoot(hashed.slice(0, Number(count)), inLog)), root);
  for (const [count, root] of Object.entries(seal_roots))
    assert.equal(hex(merkleRoot(hashed.slice(0, Number(count)), inSeal)), root);
});

test("every leaf of every tree up to 130 has the path that the definition gives", () => {
  for (let count = 1; count <= 130; count++) {
    const leaves = leavesOf(count);
    const root = hex(rootByDefinition(leaves, inSeal));
    const tree = treeOf(leaves, inSeal);
    assert.equal(hex(tree.levels.at(-1) ?? new Uint8Array()), root);
    assert.equal(hex(merkleRoot(leaves, inSeal)), root);
    assert.equal(hex(merkleRoot(leaves, inLog)), hex(rootByDefinition(leaves, inLog)));
    leaves.forEach((leaf, index) => {
      const path = pathOf(tree, index);
      const sides = sidesByDefinition(index, count);
      assert.deepEqual(sidesOf(index, count), sides);
      assert.deepEqual(
        path.map(({ side }) => side),
        sides,
      );
      assert.equal(hex(fold(leaf, path, inSeal)), root);
    });
  }
});

test("sides are right far above the largest seal", () => {
  const places = fc
    .tuple(fc.integer({ min: 1, max: 2 ** 45 }), fc.nat(2 ** 31 - 1))
    .map(([count, at]) => [at % count, count] as const);
  fc.assert(
    fc.property(places, ([index, count]) => {
      assert.deepEqual(sidesOf(index, count), sidesByDefinition(index, count));
    }),
  );
});

test("a log that grows in any pieces, stored between them, has one root", () => {
  const cuts = fc.array(fc.nat(200), { maxLength: 6 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 200 }), cuts, (count, positions) => {
      const leaves = leavesOf(count);
      let log = EMPTY_FRONTIER;
      for (const end of [...positions, count].sort((a, b) => a - b)) {
        log = grow(log, leaves.slice(log.size, end), inLog);
        log = decodeFrontier(encodeFrontier(log), log.size);
      }
      assert.equal(hex(rootOf(log, inLog)), hex(rootByDefinition(leaves, inLog)));
    }),
  );
});

test("a frontier holds one root for each bit of its size, and bytes of another length are refused", () => {
  const log = grow(EMPTY_FRONTIER, leavesOf(13), inLog);
  const stored = encodeFrontier(log);
  assert.equal(stored.length, 3 * 32);
  assert.deepEqual(stored.subarray(0, 32), Uint8Array.from(merkleRoot(leavesOf(8), inLog)));
  assert.throws(() => decodeFrontier(stored, 15), RangeError);
  assert.throws(() => decodeFrontier(stored.subarray(1), 13), RangeError);
});

test("impossible trees are refused: no leaves, no such leaf, a leaf of another length", () => {
  assert.throws(() => merkleRoot([], inSeal), RangeError);
  assert.throws(() => pathOf(treeOf(leavesOf(5), inSeal), 5), RangeError);
  assert.throws(() => pathOf(treeOf(leavesOf(5), inSeal), -1), RangeError);
  const short = [...leavesOf(2), new Uint8Array(31)];
  assert.throws(() => merkleRoot(short, inSeal), RangeError);
  assert.throws(() => treeOf(short, inSeal), RangeError);
});

test("a tree over 65,536 leaves costs one hash per interior node and no more", () => {
  const leaves = leavesOf(65_536);
  let hashes = 0;
  const counting = sealNode((pair) => {
    hashes++;
    return sha256(pair);
  });
  assert.deepEqual(merkleRoot(leaves, counting), sha256(Buffer.concat(twoHalves(leaves))));
  assert.equal(hashes, 65_535);
});

const twoHalves = (leaves: readonly Uint8Array[]): Uint8Array[] =>
  [leaves.slice(0, leaves.length / 2), leaves.slice(leaves.length / 2)].map((half) =>
    merkleRoot(half, inSeal),
  );

test("a tree over block roots has the same root and, below its blocks, the same paths", () => {
  for (let count = 1; count <= 130; count++) {
    const leaves = leavesOf(count);
    const whole = treeOf(leaves, inSeal);
    const roots = blockRootsOf(leaves, inSeal);
    const upper = decodeTree(encodeTree(treeOf(roots, inSeal)), roots.length);
    assert.ok(upper !== null);
    assert.equal(hex(rootOfTree(upper)), hex(rootOfTree(whole)));
    for (let index = 0; index < count; index++) {
      const block = Math.floor(index / BLOCK_LEAVES);
      const own = leaves.slice(block * BLOCK_LEAVES, (block + 1) * BLOCK_LEAVES);
      const lower = pathOf(treeOf(own, inSeal), index % BLOCK_LEAVES);
      assert.deepEqual([...lower, ...pathOf(upper, block)], pathOf(whole, index));
    }
  }
});

test("bytes that are no tree of that many nodes are told apart", () => {
  const stored = encodeTree(treeOf(leavesOf(5), inSeal));
  assert.ok(decodeTree(stored, 5) !== null);
  for (const count of [0, 1, 4, 6]) assert.equal(decodeTree(stored, count), null);
  for (const length of [0, 1, stored.length - 32]) {
    assert.equal(decodeTree(stored.subarray(0, length), 5), null);
  }
});

test("a leaf leads to the root only where its path folds to it, whatever was asked before", () => {
  const cases = fc
    .tuple(fc.integer({ min: 1, max: 40 }), fc.nat(), fc.array(fc.nat(), { maxLength: 60 }))
    .map(([count, at, asked]) => ({ count, at, asked: asked.map((index) => index % count) }));
  fc.assert(
    fc.property(cases, ({ count, at, asked }) => {
      const leaves = leavesOf(count);
      const whole = treeOf(leaves, inSeal);
      const root = rootOfTree(whole);
      const flipped = encodeTree(whole);
      // The root itself is for the caller to compare; a lone leaf has nothing else.
      const place = at % Math.max(1, flipped.length - 32);
      flipped[place] = 255 - (flipped[place] ?? 0);
      for (const encoded of [encodeTree(whole), flipped]) {
        const tree = decodeTree(encoded, count) ?? assert.fail();
        if (!Buffer.from(rootOfTree(tree)).equals(root)) continue;
        const sound = new Uint8Array(nodesOf(tree));
        for (const index of asked) {
          const leaf = encoded.slice(index * 32, (index + 1) * 32);
          const folded = fold(leaf, pathOf(tree, index), inSeal);
          const isRight = Buffer.from(folded).equals(root);
          // A node that no path shows may be wrong without harm, and is still told of.
          if (leadsToRoot(tree, index, inSeal, sound)) assert.ok(isRight);
          else assert.notDeepEqual(encoded, encodeTree(whole));
        }
      }
    }),
  );
});
