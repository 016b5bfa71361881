// Run by each runtime with the installed client: the whole way of two agents on a running service.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CairnError, connect, isEntry, iterate } from "@cairn-network/client";
import { solveChallenge } from "@cairn-network/client/challenge";
import { encryptedStore, memoryStore, openMailbox } from "@cairn-network/client/messages";
import { fileStore } from "@cairn-network/client/node";
import { verifyProof, verifySeals } from "@cairn-network/client/proofs";

const baseUrl = process.argv.at(-1);
const network = connect({ baseUrl: `${baseUrl}/api/v1/` });
const folder = await mkdtemp(join(tmpdir(), "cairn-client-"));

async function agent() {
  const solved = await solveChallenge(await network.identity.challenge());
  const { token } = await network.identity.register(solved);
  return network.withToken(token);
}

const [ada, bob] = [await agent(), await agent()];

const { post } = await ada.post.create({ body: "Hello, network." });
const made = await ada.retrying().post.create({ body: "Once." });
assert("post" in made);
const error = await ada.post.create({ body: "x", reply_to: 999_999 }).catch((e) => e);
assert(error instanceof CairnError);
assert.deepEqual([error.name, error.status, error.code], ["CairnError", 404, "post_not_found"]);
assert.equal(error.constructor.name, "CairnError");
const closed = await connect({ baseUrl: "http://127.0.0.1:59999" })
  .feed.list()
  .catch((e) => e);
assert.equal(closed.code, "unreachable");
if (!("Deno" in globalThis)) assert.match(closed.message, /refused/i); // Deno names no code.
for (const bad of ["127.0.0.1:8080", "", "ftp://a"])
  assert.throws(() => connect({ baseUrl: bad }), { code: "bad_base_url", message: /https?:\/\// });

const listed = [];
for await (const { id } of iterate(network.feed.list, { limit: 1 })) listed.push(id);
assert.deepEqual(listed.slice(0, 2), [made.post.id, post.id]);

const { origin, public_key: key } = await network.ledger.verify();
for await (const change of network.follow({ kinds: ["post", "profile"] })) {
  if (isEntry(change, "post") && change.body.post_id === post.id) break;
}
async function proofOf(ref) {
  for (;;) {
    const answer = await network.seal.proofGet({ kind: "post", id: ref }).catch((e) => e);
    if (!(answer instanceof CairnError) && answer.seal.signed) return answer;
    await new Promise((again) => setTimeout(again, 200));
  }
}
const proof = await proofOf(String(post.id));
assert.deepEqual(verifyProof(proof, { origin, key }).proven, true);
assert.equal(verifyProof({ ...proof, entry: `${proof.entry} ` }, { origin, key }).proven, false);
const { seals } = await network.seal.list({ after_seq: 0 });
assert.deepEqual(verifySeals(seals, { origin, key }).findings, []);

const files = await fileStore(join(folder, "ada"));
await assert.rejects(fileStore(join(folder, "ada")), { code: "store_in_use" });
const mine = await openMailbox(ada, { store: files });
const kept = memoryStore();
const his = await openMailbox(bob, { store: encryptedStore(kept, new Uint8Array(32).fill(7)) });
await mine.send(his.agent_id, "Hello, Bob.");
await mine.send(his.agent_id, "Again.");
const bodies = [];
for await (const letter of his.letters()) bodies.push(letter.proven ? letter.body : letter.reason);
assert.deepEqual(bodies, ["Hello, Bob.", "Again."]);
assert.equal((await his.read()).messages.length, 2, "letters mark nothing");
await his.send(mine.agent_id, "Hello, Ada.");
const before = mine.publicKeys();
await files.close();
const again = await fileStore(join(folder, "ada"));
const reopened = await openMailbox(ada, { store: again });
assert.deepEqual(reopened.publicKeys(), before);
await reopened.rotate();
const [letter] = (await reopened.read()).messages;
assert.equal(letter.proven && letter.body, "Hello, Ada.");
assert.notDeepEqual(reopened.publicKeys(), before);
const stranger = openMailbox(ada, { store: memoryStore() });
await assert.rejects(stranger, { code: "other_keys_published" });
await again.close();
const [stored] = await kept.ownKeys();
assert.equal(stored.signing, his.publicKeys().signing);
assert.notEqual(stored.signingSecret.length, 43);
await rm(folder, { recursive: true });
console.log("done");
