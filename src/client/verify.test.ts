import assert from "node:assert/strict";
import { test } from "node:test";
import { ed25519 } from "@noble/curves/ed25519.js";
import { sha256 } from "@noble/hashes/sha2.js";
import vectors from "../../test/vectors/seal.json" with { type: "json" };
import {
  addEntries,
  type ChainState,
  chainStart,
  contentsAfter,
  type Finding,
  type StoredEntry,
  verifySeal,
} from "../platform/kernel/proof/chain.ts";
import { bodyText, parseEntry } from "../platform/kernel/proof/entry.ts";
import { verifyInclusion } from "../platform/kernel/proof/inclusion.ts";
import type { Step } from "../platform/kernel/proof/merkle.ts";
import {
  announcementMessage,
  keyRotationMessage,
  sealBody,
  sealMessage,
} from "../platform/kernel/proof/seal-text.ts";
import { isPublicKey } from "../platform/kernel/proof/signature.ts";
import { Unproven } from "../platform/kernel/proof/unproven.ts";
import { seal as sealShape } from "../platform/ledger/contract.ts";
import { verifyAnnouncement, verifyProof, verifySeals } from "./verify.ts";

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const { origin } = vectors;
const seals = sealShape.array().parse(vectors.seals.items);
const genesisKey = keyNamed("genesis");
const pinned = { origin, key: genesisKey };

function keyNamed(name: string): string {
  const key = vectors.keys.find((given) => given.name === name);
  assert(key);
  return key.pubkey;
}

/** The answer of `GET /seal/proof` that the vectors hold without its seal. */
const answers = vectors.proofs.items.map((proof) => ({
  ok: true,
  ...proof,
  seal: seals[proof.seq - 1],
  signed_message: vectors.seal_texts[proof.seq - 1]?.signed_message ?? null,
}));
const [first] = answers;
assert(first);

/** JSON does not tell TypeScript that there are only two sides. */
const steps = (path: readonly { readonly side: string; readonly hash: string }[]): Step[] =>
  path.map(({ side, hash }) => ({ side: side === "left" ? "left" : "right", hash }));

const rotationProofs = vectors.proofs.items
  .filter(({ kind }) => kind === "key_rotation")
  .map((proof) => ({ ...proof, path: steps(proof.path) }));

test("vectors: seal bodies and signed messages, byte for byte", () => {
  for (const [i, seal] of seals.entries()) {
    const texts = vectors.seal_texts[i];
    assert.equal(sealBody(seal), texts?.seal_body);
    if (seal.signed_at === null || seal.pubkey === null) continue;
    assert.equal(sealMessage(seal, seal.signed_at, seal.pubkey), texts?.signed_message);
  }
});

test("vectors: every proof under a signed seal is proven, and under an unsigned one not yet", () => {
  for (const answer of answers) {
    const key = keyNamed(answer.seq > 4 ? "rotated" : "genesis");
    const verdict = verifyProof(answer, { origin, key });
    if (answer.seal?.signed) {
      assert(verdict.proven, verdict.proven ? "" : verdict.reason);
      assert.equal(verdict.entry.id, answer.ledger_id);
      assert.equal(verdict.seal.seq, answer.seq);
    } else {
      const reason = "the seal is not signed yet: ask again later";
      assert.deepEqual(verdict, { proven: false, reason });
    }
  }
});

test("a proof that says more than it proves, or that is none, is refused with a sentence", () => {
  const wrong = [
    { ledger_id: 2 },
    { kind: "agent" },
    { ref: "2" },
    { root: first.leaf },
    { count: 5 },
    { leaf: first.root },
    { index: 1 },
    { seq: 2 },
    { path: [] },
    { entry: "" },
    { seal: null },
    { seal: { ...first.seal, root: first.leaf } },
    { seal: { ...first.seal, origin: "example.org/other" } },
    { seal: { ...first.seal, pubkey: keyNamed("rotated") } },
  ];
  for (const patch of wrong) {
    const verdict = verifyProof({ ...first, ...patch }, pinned);
    assert.equal(verdict.proven, false, JSON.stringify(patch));
  }
  assert.equal(verifyProof("<html>", pinned).proven, false);
  assert.equal(verifyProof(first, { ...pinned, origin: "example.org/other" }).proven, false);
});

test("vectors: the announcement, and none that says something else", () => {
  const { title_sha256, body_sha256, signed_message, signature, ...given } = vectors.announcement;
  assert.equal(announcementMessage({ ...given, title_sha256, body_sha256 }), signed_message);
  const { id, kind, title, body, signed_at } = given;
  const shown = { id, at: signed_at, kind, title, body, signed_message, signature };
  assert.deepEqual(verifyAnnouncement(shown, pinned), { proven: true, signed_at });
  const other = signed_message.replace("id 1\n", "id 2\n");
  for (const patch of [
    { id: 2 },
    { kind: "key" },
    { title: "The network is closed" },
    { body: "" },
    { signed_message: other, id: 2 },
    { signed_message: "" },
    { signature: vectors.key_rotation.signature_old },
  ])
    assert.equal(verifyAnnouncement({ ...shown, ...patch }, pinned).proven, false);
  const { proven } = verifyAnnouncement(shown, { origin, key: keyNamed("rotated") });
  assert.equal(proven, false);
});

test("vectors: the chain verifies along its links, with the rotation proven", () => {
  const { findings, state } = verifySeals(seals, pinned, { proofs: rotationProofs });
  assert.deepEqual(findings, []);
  assert.equal(state.key, keyNamed("rotated"));
  assert.equal(keyRotationMessage(vectors.key_rotation), vectors.key_rotation.signed_message);
});

test("a walk without the proof of the rotation ends where the new key signs", () => {
  assert.deepEqual(verifySeals(seals, pinned).findings, [
    { seq: 5, reason: "it is signed with another key than the chain allows here" },
  ]);
});

test("a walk can be kept and gone on with, and what is no seal ends it", () => {
  const before = verifySeals(seals.slice(0, 3), pinned);
  const after: ChainState = JSON.parse(JSON.stringify(before.state));
  const rest = { after, proofs: rotationProofs };
  assert.deepEqual(verifySeals(seals.slice(3), pinned, rest).findings, []);
  const { findings } = verifySeals(["<html>"], pinned, { after });
  assert.deepEqual(findings, [{ seq: 4, reason: "it has not the shape of a seal" }]);
});

test("vectors: no key of low order counts, pinned or introduced", () => {
  const identity = `AQ${"A".repeat(84)}==`;
  for (const key of vectors.low_order_pubkeys) {
    assert.equal(isPublicKey(key), false);
    const signed = { ...seals[0], pubkey: key, signature: identity };
    assert.equal(verifyProof({ ...first, seal: signed }, { origin, key }).proven, false);
  }
});

const stored: StoredEntry[] = vectors.entries.map(({ leaf, ...given }) => ({
  ...given,
  body: bodyText(parseEntry(utf8(given.entry)).body),
  leaf: Uint8Array.fromHex(leaf),
}));

/** A full auditor: every entry is read. */
function audit(chain: readonly unknown[], entries: readonly StoredEntry[], key: string): Finding[] {
  const verifier = {
    sha256,
    verifySignature: (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) =>
      ed25519.verify(signature, message, publicKey, { zip215: false }),
    trusts: () => false,
  };
  let state = chainStart(origin, key);
  return sealShape
    .array()
    .parse(chain)
    .flatMap((seal) => {
      const under = entries.filter(({ id }) => id >= seal.from_id && id <= seal.to_id);
      const read = addEntries(contentsAfter(state), under, sha256);
      const step = verifySeal(verifier, state, seal, read.contents);
      state = step.state;
      return [...read.findings, ...step.findings];
    });
}

test("vectors: the chain verifies with every entry read", () => {
  assert.deepEqual(audit(seals, stored, genesisKey), []);
});

const bytesOf = ({ entry, entry_hex }: { entry?: string; entry_hex?: string }): Uint8Array =>
  entry_hex === undefined ? utf8(entry ?? "") : Uint8Array.fromHex(entry_hex);

type Negative = (typeof vectors.negative.items)[number]["given"];

function refusesInclusion(given: Negative): void {
  const { from_id = 0, index = 0, count = 0, path = [], root = "" } = given;
  assert.throws(
    () =>
      verifyInclusion(
        { entry: bytesOf(given), from_id, index, count, path: steps(path), root },
        sha256,
      ),
    Unproven,
  );
}

/** Seal 1 with the key and signature of the case: without them the same proof is proven, above. */
function refusesSignature({
  expected_pubkey: key = "",
  pubkey,
  message,
  signature,
}: Negative): void {
  const signed_at = Number(/\ntime (\d+)\n/.exec(message ?? "")?.[1]);
  const seal = { ...first?.seal, pubkey, signed_at, signature };
  const { proven } = verifyProof({ ...first, seal }, { origin, key });
  assert.equal(proven, false);
}

function refusesChain({ pinned_pubkey = "", patch = [], entry_patch = [] }: Negative): void {
  const changes = new Map<number, object>(patch.map((change) => [change.seq, change]));
  const chain = seals.flatMap((seal) => {
    const change = changes.get(seal.seq) ?? {};
    return "drop" in change ? [] : [Object.assign({}, seal, "set" in change ? change.set : {})];
  });
  const entries = stored.map((entry) => ({
    ...entry,
    ...entry_patch.find(({ id }) => id === entry.id),
  }));
  assert.notDeepEqual(audit(chain, entries, pinned_pubkey), []);
  if (entry_patch.length > 0) return; // Only who reads the entries can see that.
  const walk = { proofs: rotationProofs };
  assert.notDeepEqual(verifySeals(chain, { origin, key: pinned_pubkey }, walk).findings, []);
}

const refuses: Readonly<Record<string, (given: Negative) => void>> = {
  inclusion: refusesInclusion,
  signature: refusesSignature,
  chain: refusesChain,
};

for (const { name, check, given } of vectors.negative.items) {
  test(`vectors: ${name} is refused (${check})`, () => {
    const refuse = refuses[check];
    assert(refuse);
    refuse(given);
  });
}
