import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { demandHand, openLetter, sealBox, sealLetter } from "../src/client/messages/box.ts";
import { makeMessageKeys, messageKeysIn } from "../src/client/messages.ts";
import { deriveSecret, hpkeOpen, hpkeSeal, secondOpen, secondSeal } from "./second-client.ts";
import vectors from "./vectors/messages.json" with { type: "json" };

const hex = (text: string) => Buffer.from(text, "hex");
const utf8 = (text: string) => new TextEncoder().encode(text);

const keysOf = (name: string | undefined) => {
  const agent = vectors.agents.find((each) => each.name === name);
  assert(agent);
  return agent;
};
const [ada, bob] = [keysOf("ada"), keysOf("bob")];

test("the second implementation of HPKE is that of RFC 9180, A.2.1", () => {
  const secret = deriveSecret(
    hex("909a9b35d3dc4713a5e72a4da274b55d3d3821a37e5d099e74a647db583a904b"),
  );
  const recipient = hex("4310ee97d88cc1f088a5576c77ab0cf5c3ac797f3d95139c6c84b5429c59662a");
  const recipientSecret = hex("8057991eef8f1f1af18f4a9491d16a1ce333f695d4db8e38da75975c4478e0fb");
  const bytes = utf8("Beauty is truth, truth beauty");
  const message = { info: "Ode on a Grecian Urn", aad: "Count-0" };
  const { enc, ciphertext } = hpkeSeal(recipient, secret, { ...message, bytes });
  assert.equal(
    enc.toString("hex"),
    "1afa08d3dec047a643885163f1180476fa7ddb54c6a8029ea33f95796bf2ac4a",
  );
  assert.equal(
    ciphertext.toString("hex"),
    "1c5250d8034ec2b784ba2cfd69dbdb8af406cfe3ff938e131f0def8c8b60b4db21993c62ce81883d2dd1b51a28",
  );
  assert.deepEqual(
    hpkeOpen(recipientSecret, enc, { ...message, bytes: ciphertext }),
    Buffer.from(bytes),
  );
});

test("vectors: both implementations make the same boxes, byte for byte, and open them", async () => {
  for (const vector of vectors.boxes) {
    const [sender, recipient] = [keysOf(vector.sender), keysOf(vector.recipient)];
    const { from, to, ts, nonce, body, box } = vector;
    const letter = { from, to, ts, nonce, body };
    const ikm = hex(vector.ephemeral_ikm);
    const keys = { signingSecret: sender.signingSecret, encryption: recipient.encryption };
    assert.equal(await sealLetter(letter, keys, ikm), box, vector.name);
    assert.equal(secondSeal(letter, sender, recipient.encryption, deriveSecret(ikm)), box);

    const signed = await openLetter(box, { from, to }, [recipient]);
    assert.deepEqual(signed, { letter, sig: vector.sig });
    demandHand(signed, sender.signing);
    const opened = secondOpen(box, { from, to }, recipient, sender.signing);
    assert.deepEqual(opened, { v: 1, ...letter });
    assert.deepEqual(messageKeysIn(sender.capabilities), {
      encryption: sender.encryption,
      signing: sender.signing,
    });
    const sealed_bytes = 8 + 32 + vector.padded_bytes + 16;
    assert.equal(box.length, 6 + Math.ceil((sealed_bytes * 4) / 3), "the length says the rest");
    assert.ok(vector.padded_bytes % 256 === 0 && vector.padded_bytes > utf8(vector.text).length);
    const { sig, ...rest } = JSON.parse(vector.text);
    assert.deepEqual([sig, vector.aad], [vector.sig, `${from}|${to}`]);
    assert.deepEqual(JSON.parse(vector.signed.split("\n")[1] ?? ""), rest);
  }
});

test("vectors: what must be refused is refused, for the reason that is named", async () => {
  assert.ok(vectors.refused.length > 20);
  for (const { what, reason, from, to, box } of vectors.refused) {
    const open = async () => demandHand(await openLetter(box, { from, to }, [bob]), ada.signing);
    await assert.rejects(open, { name: "Unproven", message: reason }, what);
  }
});

test("any text that fits comes back, in boxes that no two are alike of", async () => {
  const ends = { from: ada.agent_id, to: bob.agent_id };
  const keys = { signingSecret: ada.signingSecret, encryption: bob.encryption };
  const open = async (box: string) => {
    const signed = await openLetter(box, ends, [bob]);
    demandHand(signed, ada.signing);
    return signed.letter.body;
  };
  const text = fc.string({ unit: "binary" }).filter((body) => body.isWellFormed());
  await fc.assert(
    fc.asyncProperty(text, async (body) => {
      const [one, other] = await Promise.all([
        sealBox({ ...ends, ts: 1, body }, keys),
        sealBox({ ...ends, ts: 1, body }, keys),
      ]);
      assert.notEqual(one, other);
      assert.equal(await open(one), body);
      assert.equal(secondOpen(other, ends, bob, ada.signing).body, body);
    }),
    { numRuns: 25 },
  );
  const largest = "x".repeat(48_600);
  const box = await sealBox({ ...ends, ts: 1, body: largest }, keys);
  assert.ok(box.length <= 65_536 && box.length > 65_000);
  assert.equal(await open(box), largest);
  await assert.rejects(sealBox({ ...ends, ts: 1, body: "x".repeat(49_000) }, keys), RangeError);
  await assert.rejects(sealBox({ ...ends, ts: 1, body: "\ud800" }, keys), TypeError);
  for (const ts of [1.5, -1, Number.NaN, undefined as unknown as number])
    await assert.rejects(sealBox({ ...ends, ts, body: "x" }, keys), RangeError, `${ts}`);
});

test("every changed byte of a box is noticed", async () => {
  const [vector] = vectors.boxes;
  assert(vector);
  const { from, to, box } = vector;
  const bytes = Buffer.from(box.slice(6), "base64url");
  for (let at = 0; at < bytes.length; at += 7) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 0x20;
    const opening = openLetter(`hpke1.${changed.toString("base64url")}`, { from, to }, [bob]);
    await assert.rejects(opening, { name: "Unproven" }, `byte ${at}`);
  }
});

test("keys that nobody can be written to with are refused", async () => {
  const { encryption, signing } = makeMessageKeys();
  const [e2e, sig] = [`e2e:hpke-x25519:${encryption}`, `sig:ed25519:${signing}`];
  assert.deepEqual(messageKeysIn(["cooking", sig, e2e, `e2e:hpke-x25519:${ada.encryption}`]), {
    encryption,
    signing,
  });
  for (const capabilities of [[e2e], [sig], [`${e2e}A`, sig], [e2e.slice(0, -1), sig], []])
    assert.equal(messageKeysIn(capabilities), null);
  const zero = { signingSecret: ada.signingSecret, encryption: "A".repeat(43) };
  const ends = { from: ada.agent_id, to: bob.agent_id };
  await assert.rejects(sealBox({ ...ends, ts: 1, body: "x" }, zero), {
    code: "no_message_keys",
  });
});
