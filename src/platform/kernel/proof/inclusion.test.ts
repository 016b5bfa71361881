import assert from "node:assert/strict";
import { test } from "node:test";
import {
  chainOf,
  operatorOf,
  posts,
  proofOf,
  sha256,
  storedEntry,
} from "../../../../test/chain.ts";
import { entryUnder, type Inclusion, provenTurns, verifyInclusion } from "./inclusion.ts";
import { pathOf, type Step, sealNode, treeOf } from "./merkle.ts";
import { Unproven } from "./unproven.ts";

const COUNT_MAX = 130;
const stored = posts(...Array.from({ length: COUNT_MAX }, (_, i) => i + 1)).map((draft, i) =>
  storedEntry(i + 1, draft),
);

/** Every inclusion of a seal over the first `count` entries. */
function* inclusionsOf(count: number): Generator<Inclusion> {
  const covered = stored.slice(0, count);
  const tree = treeOf(
    covered.map(({ leaf }) => leaf),
    sealNode(sha256),
  );
  const root = tree.levels.at(-1)?.toHex() ?? "";
  for (const [index, { entry }] of covered.entries()) {
    const path = pathOf(tree, index);
    yield { entry: Buffer.from(entry), from_id: 1, index, count, path, root };
  }
}

const swapped = ({ side, hash }: Step): Step => ({
  side: side === "left" ? "right" : "left",
  hash,
});

function oneByteChanged(entry: Uint8Array, at: number): Uint8Array {
  const bytes = Uint8Array.from(entry);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes;
}

/** Ways to tell something else with a right proof; each must be refused. */
const mutations: Readonly<Record<string, (of: Inclusion) => Inclusion>> = {
  "another index": (of) => ({ ...of, index: of.index + 1 }),
  "another index, with an id that fits it": (of) => ({
    ...of,
    index: of.index === 0 ? of.count : of.index - 1,
    from_id: of.index === 0 ? 1 - of.count : 2,
  }),
  "another byte in the entry": (of) => ({
    ...of,
    entry: oneByteChanged(of.entry, (of.index * 31 + of.count) % of.entry.length),
  }),
  "a path too short": (of) =>
    of.path.length === 0 ? { ...of, root: "0".repeat(64) } : { ...of, path: of.path.slice(0, -1) },
  "a path too long": (of) => ({ ...of, path: [...of.path, { side: "left", hash: of.root }] }),
  "a side swapped": (of) => {
    const at = of.index % (of.path.length || 1);
    const path = of.path.map((step, i) => (i === at ? swapped(step) : step));
    return of.path.length === 0 ? { ...of, count: 2 } : { ...of, path };
  },
};

test("every entry of every seal of up to 130 is proven", () => {
  for (let count = 1; count <= COUNT_MAX; count++)
    for (const of of inclusionsOf(count))
      assert.equal(verifyInclusion(of, sha256).id, of.index + 1);
});

for (const [what, mutate] of Object.entries(mutations)) {
  test(`with ${what} nothing is proven, for every entry of every seal of up to 130`, () => {
    for (let count = 1; count <= COUNT_MAX; count++)
      for (const of of inclusionsOf(count))
        assert.throws(
          () => verifyInclusion(mutate(of), sha256),
          Unproven,
          `${of.index} of ${count}`,
        );
  });
}

const chain = chainOf([
  { covers: posts(1, 2, 3), by: null, origin: "example.org" },
  { covers: posts(4, 5, 6, 7), by: operatorOf(1), origin: "example.org" },
]);

function postProof(id: number) {
  const proof = proofOf(chain, "post", String(id));
  assert(proof);
  return proof;
}

test("no entry is proven under a seal of more than 65,536", () => {
  const { entry, leaf } = storedEntry(1, { kind: "post", ref: "1", body: {} });
  const proven = (count: number) => {
    const tree = treeOf(new Array<Uint8Array>(count).fill(leaf), sealNode(sha256));
    const [path, root] = [pathOf(tree, 0), tree.levels.at(-1)?.toHex() ?? ""];
    const of = { entry: Buffer.from(entry), from_id: 1, index: 0, count, path, root };
    return verifyInclusion(of, sha256).id;
  };
  assert.equal(proven(65_536), 1);
  assert.throws(() => proven(65_537), /no seal covers so many/);
});

test("a proof is held against the seal at hand, not against the one that it names", () => {
  const proof = postProof(5);
  assert.equal(entryUnder(proof.seal, proof, sha256).id, 5);
  const { seal: other } = postProof(2);
  assert.throws(() => entryUnder(other, proof, sha256), Unproven);
  assert.throws(() => entryUnder(other, { ...proof, seq: 1 }, sha256), Unproven);
});

test("an entry with a lone surrogate is not taken for the one that its bytes would make", () => {
  const body = { text: "a \ufffd" };
  const covers = [{ kind: "post", ref: "1", body }];
  const proof = proofOf(chainOf([{ covers, by: null, origin: "example.org" }]), "post", "1");
  assert(proof);
  assert.equal(entryUnder(proof.seal, proof, sha256).id, 1);
  const entry = proof.entry.replace("\ufffd", "\ud800");
  assert.throws(() => entryUnder(proof.seal, { ...proof, entry }, sha256), Unproven);
});

test("proven turns come in the order of the ledger, and a false proof is a finding", () => {
  const { seal, ...five } = postProof(5);
  const { turns } = provenTurns(seal, [postProof(7), postProof(1), five], sha256);
  assert.deepEqual(
    turns.map(({ id }) => id),
    [5, 7],
  );
  const { findings } = provenTurns(seal, [{ ...five, index: 2 }], sha256);
  assert.deepEqual(findings, [
    { seq: 2, reason: "a proof under it: the id of the entry is not the one at that index" },
  ]);
});
