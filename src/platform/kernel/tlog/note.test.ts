import assert from "node:assert/strict";
import { sign } from "node:crypto";
import { test } from "node:test";
import { logKey, signed, signer, small, witnessKey } from "../../../../test/witness-tree.ts";
import { VECTORS } from "../../../../test/witness-vectors.ts";
import { verifySignature } from "../../ledger/seals/ed25519.ts";
import { sha256 } from "../../ledger/sha256.ts";
import { toBase64, toHex } from "../bytes.ts";
import { addCheckpointBody, parseAddCheckpoint, parseCheckpoint } from "./checkpoint.ts";
import {
  cosignatureLine,
  cosignaturesBy,
  cosignedMessage,
  isSignedBy,
  type NoteKey,
  parseNote,
  parseVkey,
  signaturesIn,
  vkeyOf,
} from "./note.ts";
import { consistencyRanges } from "./tree.ts";

const { log, witness } = VECTORS;

test("keys, ids and vkeys are those of the vectors", () => {
  for (const [key, vector] of [
    [logKey, log],
    [witnessKey, witness],
  ] as const) {
    assert.deepEqual([key.key_id, vkeyOf(key)], [vector.key_id, vector.vkey]);
    assert.deepEqual(parseVkey(vector.vkey, sha256), key);
  }
  const [name = "", , base64] = log.vkey.split("+");
  for (const wrong of ["", "a", `${name}+00000000+${base64}`, `a b+${log.key_id}+${base64}`])
    assert.equal(parseVkey(wrong, sha256), null, wrong);
});

test("every checkpoint of the vectors is made, read and checked", () => {
  for (const { size, root, note } of VECTORS.checkpoints) {
    const computed = size === 0 ? sha256(new Uint8Array()) : small.rootOf({ from: 0, to: size });
    assert.equal(toHex(computed), root);
    assert.equal(signed(size, computed), note);
    const read = parseCheckpoint(note);
    assert.deepEqual(
      [read?.origin, read?.size, toHex(read?.root ?? computed)],
      [log.origin, size, root],
    );
    assert(read !== null && isSignedBy({ verifySignature }, logKey, read.note));
  }
  assert.equal(toBase64(sha256(new Uint8Array())), VECTORS.empty_root_b64);
});

test("a note that was changed by one character is not signed, or no note", () => {
  const note = VECTORS.checkpoints.at(-1)?.note ?? "";
  for (let i = 0; i < note.length; i++) {
    const changed = `${note.slice(0, i)}${note[i] === "A" ? "B" : "A"}${note.slice(i + 1)}`;
    const read = parseNote(changed);
    const isSigned = read !== null && isSignedBy({ verifySignature }, logKey, read);
    assert.equal(isSigned, false, `character ${i}`);
  }
  assert.equal(parseNote(note.replaceAll("\n", "\r\n")), null);
});

test("requests to witnesses and their cosignatures are those of the vectors", () => {
  for (const {
    old,
    size,
    time,
    request,
    cosigned_message,
    response_200,
  } of VECTORS.add_checkpoint) {
    const read = parseAddCheckpoint(request);
    assert(read !== null);
    const proof = consistencyRanges(old, size).map(small.rootOf);
    const note = signed(size, small.rootOf({ from: 0, to: size }));
    assert.equal(addCheckpointBody({ old_size: old, proof, note }), request);
    const { text } = parseNote(note) ?? { text: "" };
    assert.equal(cosignedMessage(text, time), cosigned_message);
    const signature = sign(null, Buffer.from(cosigned_message), signer(witness.seed));
    assert.equal(`${cosignatureLine(witnessKey, time, signature)}\n`, response_200);
    const signatures = signaturesIn(response_200) ?? [];
    const [cosigned] = cosignaturesBy({ verifySignature }, witnessKey, { text, signatures });
    assert.deepEqual([cosigned?.time, cosigned?.name], [time, witness.name]);
    const other: NoteKey = { ...witnessKey, name: "other" };
    assert.deepEqual(cosignaturesBy({ verifySignature }, other, { text, signatures }), []);
    const forged = { text: `${text}x\n`, signatures };
    assert.deepEqual(cosignaturesBy({ verifySignature }, witnessKey, forged), []);
  }
});
