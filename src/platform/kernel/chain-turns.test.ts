import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Chain,
  chainOf,
  type Draft,
  faultsOf,
  genesisOf,
  linkFaultsOf,
  operatorOf,
  type Plan,
  posts,
  rotationOf,
  startOf,
} from "../../../test/chain.ts";

const origin = "example.org/test";
const [ada, bo, cy] = [operatorOf(1), operatorOf(2), operatorOf(3)];
const start = startOf(origin, ada);

/** Seal 1 and, in seal 2, a rotation; seal 3 is signed by `after`. */
const rotating = (rotation: Draft, by: Plan["by"], after: Plan["by"]): Chain =>
  chainOf([
    { covers: genesisOf(origin, ada), by: ada, origin },
    { covers: [...posts(1, 2, 3), rotation], by, origin },
    { covers: posts(4), by: after, origin },
  ]);

const toBo = rotationOf({ origin, rotation: 1, from: ada, to: bo });

test("after a rotation that the old key sealed, the new key signs and the old one does not", () => {
  assert.deepEqual(faultsOf(start, rotating(toBo, ada, bo)).faults, []);
  assert.deepEqual(linkFaultsOf(start, rotating(toBo, ada, bo)).faults, []);
  const other = "it is signed with another key than the chain allows here";
  assert.deepEqual(faultsOf(start, rotating(toBo, bo, bo)).faults, [`2: ${other}`]);
  assert.deepEqual(faultsOf(start, rotating(toBo, ada, ada)).faults, [`3: ${other}`]);
});

test("a key can rotate again and again, also within one seal", () => {
  const rotations = [toBo, rotationOf({ origin, rotation: 2, from: bo, to: cy })];
  const chain = chainOf([
    { covers: [...genesisOf(origin, ada), ...rotations], by: ada, origin },
    { covers: posts(1), by: cy, origin },
  ]);
  assert.deepEqual(faultsOf(start, chain).faults, []);
});

const unlinked = "it is signed with a key that no signed rotation leads to: pin it first";

test("a rotation counts when its seal is signed; until then only a pinned key does", () => {
  const chain = rotating(toBo, null, bo);
  assert.deepEqual(faultsOf(start, chain).faults, [`3: ${unlinked}`]);
  assert.deepEqual(faultsOf(start, chain, [bo.pubkey]).faults, []);
});

test("after a lost key only a key that was pinned elsewhere counts", () => {
  for (const from of [ada.pubkey, null]) {
    const chain = rotating(rotationOf({ origin, rotation: 1, from, to: bo }), null, bo);
    assert.deepEqual(faultsOf(start, chain).faults, [`3: ${unlinked}`]);
    assert.deepEqual(faultsOf(start, chain, [bo.pubkey]).faults, []);
  }
});

test("a ledger that began without a key gets its first one by a rotation from nothing", () => {
  const chain = chainOf([
    { covers: genesisOf(origin, null), by: null, origin },
    { covers: [rotationOf({ origin, rotation: 1, from: null, to: bo })], by: null, origin },
    { covers: posts(1), by: bo, origin },
  ]);
  assert.deepEqual(faultsOf(startOf(origin, null), chain, [bo.pubkey]).faults, []);
  assert.deepEqual(faultsOf(startOf(origin, null), chain).faults, [`3: ${unlinked}`]);
});

test("a rotation that is not what it says is a fault, and the old key goes on", () => {
  const lowOrder = { ...bo, pubkey: "01".padEnd(64, "0") };
  const bodies: readonly (readonly [Draft["body"], string])[] = [
    [{ ...toBo.body, signature_old: bo.sign("") }, "the signature does not fit"],
    [{ ...toBo.body, signature_new: ada.sign("") }, "the signature does not fit"],
    [{ ...toBo.body, signed_at: 5 }, "the signature does not fit"],
    [{ ...toBo.body, new_pubkey: cy.pubkey }, "the signature does not fit"],
    [
      rotationOf({ origin, rotation: 1, from: cy, to: bo }).body,
      "it leads on from another key than the chain's",
    ],
    [
      rotationOf({ origin, rotation: 1, from: ada, to: lowOrder }).body,
      "the key is malformed or of low order",
    ],
    [{ rotation: 1 }, "a number is missing"],
  ];
  for (const [body, reason] of bodies)
    assert.deepEqual(faultsOf(start, rotating({ ...toBo, body }, ada, ada)).faults, [
      `2: key_rotation 1: ${reason}`,
    ]);
});

const restored = (to: string): Draft => ({
  kind: "ledger_restored",
  ref: "2",
  body: { epoch: 2, origin: to, lost_after_id: 3, lost_after_seq: 1, reason_sha256: "0" },
});

test("the origin changes at the seal that holds the restore, and there only", () => {
  const second = `${origin}#2`;
  const chain = (covers: readonly Draft[], at: string, then: string): Chain =>
    chainOf([
      { covers: genesisOf(origin, ada), by: ada, origin },
      { covers, by: ada, origin: at },
      { covers: posts(9), by: ada, origin: then },
    ]);
  assert.deepEqual(faultsOf(start, chain([restored(second)], second, second)).faults, []);
  assert.deepEqual(linkFaultsOf(start, chain([restored(second)], second, second)).faults, []);
  assert.deepEqual(faultsOf(start, chain(posts(1), second, second)).faults, [
    `2: its origin should be ${origin}`,
  ]);
  assert.deepEqual(faultsOf(start, chain([restored(second)], origin, second)).faults, [
    `2: its origin should be ${second}`,
    `3: its origin should be ${origin}`,
  ]);
});

test("a first entry that names another origin or key than the pinned ones is a fault", () => {
  const covers = genesisOf("example.org/other", bo);
  const { faults } = faultsOf(start, chainOf([{ covers, by: ada, origin }]));
  assert.deepEqual(faults, ["1: genesis 1: it names the origin example.org/other"]);
  const other = chainOf([{ covers: genesisOf(origin, bo), by: ada, origin }]);
  assert.deepEqual(faultsOf(start, other).faults, ["1: genesis 1: it names another key"]);
});
