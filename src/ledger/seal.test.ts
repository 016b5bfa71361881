import assert from "node:assert/strict";
import { createHash, createPublicKey, verify } from "node:crypto";
import { statement } from "../../test/statement.ts";
import { eachEngine } from "../../test/world.ts";
import { HOUR_S } from "../kernel/time.ts";
import { dutiesOf } from "../main/duties.ts";
import { heartbeatWhenDue } from "./heartbeat.ts";

const sha256 = (...parts: Uint8Array[]) =>
  createHash("sha256").update(Buffer.concat(parts)).digest();

/** Folds a proof as the specification's rule 2 says, knowing nothing of this project's code. */
function foldByHand({ entry, path }: { entry: string; path: { side: string; hash: string }[] }) {
  let hash = sha256(Buffer.of(0), Buffer.from(entry));
  for (const step of path) {
    const sibling = Buffer.from(step.hash, "hex");
    hash = step.side === "left" ? sha256(sibling, hash) : sha256(hash, sibling);
  }
  return hash.toString("hex");
}

function isSignedBy(key: string, message: string, signature: string): boolean {
  const x = Buffer.from(key, "hex").toString("base64url");
  const publicKey = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
  return verify(null, Buffer.from(message), publicKey, Buffer.from(signature, "base64"));
}

eachEngine("a fresh service has no seals and says so", async ({ get }) => {
  const { body } = await get("/seal");
  assert.deepEqual(body.seals, []);
  assert.equal(body.head, null);
  assert.equal(body.chain_intact, true);
  assert.equal(body.unsealed.entries, 1);
  assert.equal(body.unsealed.seal_by, body.unsealed.oldest_at + 300);
});

eachEngine(
  "every entry has a proof that folds to a signed root",
  async ({ register, get, seal }) => {
    const ada = await register("ada");
    for (let i = 1; i <= 7; i++) await ada.post("/post", { body: `post ${i}` });
    await seal();
    const { body: operator } = await get("/verify");
    for (let index = 0; index < 9; index++) {
      const { body: proof } = await get(`/seal/proof?seq=1&index=${index}`);
      assert.equal(foldByHand(proof), proof.root);
      assert.equal(proof.ledger_id, index + 1);
      assert.ok(isSignedBy(operator.public_key, proof.signed_message, proof.seal.signature));
      const { body: byRef } = await get(
        `/seal/proof?kind=${proof.kind}&id=${encodeURIComponent(proof.ref)}`,
      );
      assert.deepEqual(byRef, proof);
    }
    assert.equal((await get("/seal/proof?seq=1&index=0&kind=post&id=1")).status, 422, "which?");
  },
);

eachEngine(
  "a stored tree that was tampered with is made anew",
  async ({ register, get, seal, world }) => {
    const ada = await register("ada");
    for (let i = 1; i <= 40; i++) await ada.post("/post", { body: `post ${i}` });
    await seal();
    const { body: before } = await get("/seal/proof?kind=post&id=33");
    assert.equal(foldByHand(before), before.root);
    for (const change of ["levels = substr(levels, 1, 64)", "levels = seal.root from seal"]) {
      const tamper = statement(`update seal_tree set ${change}`);
      await world.context.write((tx) => tx.run(tamper, []));
      const { body: after } = await get(`/seal/proof?kind=post&id=33&again=${change.length}`);
      assert.deepEqual(after, before);
    }
  },
);

eachEngine("a proof that cannot be given says why", async ({ register, get, seal }) => {
  const ada = await register("ada");
  await ada.post("/post", { body: "one" });
  await seal();
  await ada.post("/post", { body: "two" });
  const errorOf = async (query: string) => {
    const { status, body } = await get(`/seal/proof?${query}`);
    return [status, body.error];
  };
  assert.deepEqual(await errorOf("seq=9&kind=post&id=1"), [404, "seal_not_found"]);
  assert.deepEqual(await errorOf("seq=1&kind=post&id=9"), [404, "entry_not_found"]);
  assert.deepEqual(await errorOf("seq=1&index=3"), [404, "not_in_seal"]);
  assert.deepEqual(await errorOf("kind=post&id=2"), [404, "not_sealed_yet"]);
  for (const query of [
    "",
    "seq=1",
    "kind=post",
    "seq=1&index=-1",
    "seq=1&index=x",
    "seq=1&kind=P&id=1",
  ]) {
    assert.deepEqual(await errorOf(query), [422, "validation_failed"], query);
  }
  await seal();
  const { body } = await get("/seal/proof?seq=1&kind=post&id=2");
  assert.deepEqual(body.details, [{ field: "sealed_in", problem: "2" }]);
});

eachEngine(
  "seals come when they are due, and never empty",
  async ({ register, get, pass, duties, sequenced }) => {
    const total = async () => (await get("/seal")).body.total;
    await register();
    await sequenced();
    await duties.seal();
    assert.equal(await total(), 0, "too early");
    pass(59);
    await duties.seal();
    assert.equal(await total(), 0, "still too early");
    pass(1);
    await duties.seal();
    assert.equal(await total(), 1);
    pass(10 * HOUR_S);
    await duties.seal();
    assert.equal(await total(), 1, "nothing new, no seal");
  },
);

eachEngine(
  "a seal does not wait for the check of a long ledger",
  async ({ register, get, pass, seal, sequenced, world }) => {
    const ada = await register();
    await seal();
    const check = Promise.withResolvers<void>();
    const { jobs } = dutiesOf(world, {
      told: () => {},
      breather: (urgency) => (urgency === "patient" ? () => check.promise : async () => {}),
    });
    const run = (name: string) => jobs.find((job) => job.name === name)?.run();
    const checking = run("chain_audit");
    await ada.post("/post", { body: "one" });
    await sequenced();
    pass(60);
    await run("seal");
    assert.equal((await get("/seal")).body.total, 2);
    check.resolve();
    await checking;
    await run("chain_audit");
    assert.equal((await get("/seal")).body.verified_through_seq, 2);
  },
);

eachEngine(
  "pages of seals rise and can be walked both ways",
  async ({ register, get, seal, pass }) => {
    const ada = await register();
    for (let i = 0; i < 5; i++) {
      await ada.post("/post", { body: "x" });
      await seal();
    }
    pass(1);
    const seqs = async (query: string) =>
      (await get(`/seal${query}`)).body.seals.map(({ seq }: { seq: number }) => seq);
    assert.deepEqual(await seqs(""), [1, 2, 3, 4, 5]);
    assert.deepEqual(await seqs("?limit=2"), [4, 5]);
    assert.deepEqual(await seqs("?after_seq=1&limit=2"), [2, 3]);
    assert.deepEqual(await seqs("?before_seq=4&limit=2"), [2, 3]);
    assert.equal((await get("/seal?after_seq=1&before_seq=3")).status, 422);
    const { seals } = (await get("/seal")).body;
    for (let i = 1; i < 5; i++) {
      assert.equal(seals[i].prev_seal, seals[i - 1].seal_hash);
      assert.equal(seals[i].prev_root, seals[i - 1].root);
      assert.equal(seals[i].from_id, seals[i - 1].to_id + 1);
    }
  },
);

eachEngine("silence is recorded after a day, once", async ({ world, pass, get, sequenced }) => {
  assert.equal(await heartbeatWhenDue(world.context), 0);
  pass(24 * HOUR_S);
  assert.equal(await heartbeatWhenDue(world.context), 1);
  await sequenced();
  assert.equal(await heartbeatWhenDue(world.context), 0);
  const { body } = await get("/since?after_id=1");
  assert.deepEqual([body.entries[0].kind, body.entries[0].ref], ["heartbeat", "1"]);
});

eachEngine("a clock that leaps over 400 days stops writes, not reads", async (world) => {
  const { register, get, pass, sequenced } = world;
  const ada = await register();
  await sequenced();
  pass(401 * 24 * HOUR_S);
  const refused = await ada.post("/post", { body: "one" });
  assert.deepEqual([refused.status, refused.body.error], [503, "storage_unavailable"]);
  assert.equal((await get("/feed")).body.count, 0);
  await world.duties.seal();
  assert.equal((await get("/seal")).body.total, 0, "no seal has that time");
  // PostgreSQL's sequencing, which comes back by itself, may have met the same refusal and told of it.
  const told = world.alarms.filter((what) => what !== "sequencing_failed");
  assert.deepEqual(told, ["clock_leaps"]);
  pass(-401 * 24 * HOUR_S);
  assert.equal((await ada.post("/post", { body: "two" })).status, 201);
});
