import assert from "node:assert/strict";
import { createHash, createPublicKey, verify } from "node:crypto";
import { eachEngine } from "../../../../test/service.ts";
import { sharedJobs } from "../../../main/jobs/shared.ts";
import { prepared } from "../../db/prepared.ts";
import { HOUR_S } from "../../kernel/time.ts";
import { heartbeatWhenDue } from "../sequencing/heartbeat.ts";

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

const levelsOf = prepared((db, p: { seq: number }) =>
  db.selectFrom("seal_tree").select("levels").where("seq", "=", p.seq),
);
const setLevels = prepared((db, p: { seq: number; levels: Uint8Array }) =>
  db.updateTable("seal_tree").set({ levels: p.levels }).where("seq", "=", p.seq),
);

eachEngine(
  "a stored tree that was tampered with is made anew",
  async ({ register, get, seal, service: { context } }) => {
    const ada = await register("ada");
    const flipped = (at: number) => (levels: Uint8Array) =>
      levels.with(at, 255 - (levels[at] ?? 0));
    const changes = [
      (levels: Uint8Array) => levels.slice(0, 64),
      (levels: Uint8Array) => new Uint8Array(levels.length),
      // Three blocks: nodes of the first level, of the second, and the root.
      ...[0, 2 * 32, 3 * 32, 5 * 32].map(flipped),
    ];
    for (const [i, change] of changes.entries()) {
      for (let k = 1; k <= 40; k++) await ada.post("/post", { body: `post ${k} of ${i}` });
      await seal();
      const seq = i + 1;
      const { levels } = (await levelsOf.first(context.read, { seq })) ?? assert.fail();
      await context.write((tx) => setLevels.run(tx, { seq, levels: change(levels) }));
      for (const index of [0, 39]) {
        const { body: proof } = await get(`/seal/proof?seq=${seq}&index=${index}`);
        assert.equal(foldByHand(proof), proof.root);
      }
    }
  },
);

eachEngine("neighbours are proved by what the first of them has read", async (service) => {
  const { register, get, seal } = service;
  const ada = await register("ada");
  for (let i = 1; i <= 40; i++) await ada.post("/post", { body: `post ${i}` });
  await seal();
  for (const index of [3, 4, 3, 15, 16, 17, 40, 39]) {
    const { body: proof } = await get(`/seal/proof?seq=1&index=${index}`);
    assert.equal(proof.ledger_id, index + 1);
    assert.equal(foldByHand(proof), proof.root);
  }
});

eachEngine("a proof that cannot be given says why", async (service) => {
  const { register, get, seal, sequenced } = service;
  const ada = await register("ada");
  await ada.post("/post", { body: "one" });
  await seal();
  await ada.post("/post", { body: "two" });
  await sequenced(); // An entry without an id is not found.
  const errorOf = async (query: string) => {
    const { status, body } = await get(`/seal/proof?${query}`);
    return [status, body.error];
  };
  assert.deepEqual(await errorOf("seq=9&kind=post&id=1"), [404, "seal_not_found"]);
  assert.deepEqual(await errorOf("seq=1&kind=post&id=9"), [404, "entry_not_found"]);
  assert.deepEqual(await errorOf("seq=1&index=3"), [404, "not_in_seal"]);
  assert.deepEqual(await errorOf("kind=post&id=2"), [404, "not_sealed_yet"]);
  for (const [kind, meant] of [
    ["commit", /did you mean repo_commit\?$/],
    ["psot", /did you mean post\?$/],
    ["banana", /post, repo_commit and request_answer are some$/],
  ] as const) {
    const { body } = await get(`/seal/proof?kind=${kind}&id=1`);
    assert.match(body.details[0].problem, meant);
    assert.ok(JSON.stringify(body).length <= 1_500);
  }
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
  async ({ register, get, pass, shared, sequenced }) => {
    const total = async () => (await get("/seal")).body.total;
    await register();
    await sequenced();
    await shared.seal();
    assert.equal(await total(), 0, "too early");
    pass(59);
    await shared.seal();
    assert.equal(await total(), 0, "still too early");
    pass(1);
    await shared.seal();
    assert.equal(await total(), 1);
    pass(10 * HOUR_S);
    await shared.seal();
    assert.equal(await total(), 1, "nothing new, no seal");
  },
);

eachEngine(
  "a seal does not wait for the check of a long ledger",
  async ({ register, get, pass, seal, sequenced, service }) => {
    const ada = await register();
    await seal();
    const check = Promise.withResolvers<void>();
    const { jobs } = sharedJobs(service, {
      onFinding: () => {},
      yielder: (urgency) => (urgency === "patient" ? () => check.promise : async () => {}),
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
    const { next } = (await get("/seal?after_seq=1&limit=2")).body;
    assert.deepEqual(await seqs(`?cursor=${next}`), [4, 5]);
    assert.deepEqual(await seqs(`?cursor=${(await get("/seal?limit=2")).body.next}`), [1, 2, 3]);
    assert.equal((await get(`/seal?after_seq=1&cursor=${next}`)).status, 422);
    const { seals } = (await get("/seal")).body;
    for (let i = 1; i < 5; i++) {
      assert.equal(seals[i].prev_seal, seals[i - 1].seal_hash);
      assert.equal(seals[i].prev_root, seals[i - 1].root);
      assert.equal(seals[i].from_id, seals[i - 1].to_id + 1);
    }
  },
);

eachEngine("silence is recorded after a day, once", async ({ service, pass, get, sequenced }) => {
  assert.equal(await heartbeatWhenDue(service.context), 0);
  pass(24 * HOUR_S);
  assert.equal(await heartbeatWhenDue(service.context), 1);
  await sequenced();
  assert.equal(await heartbeatWhenDue(service.context), 0);
  const { body } = await get("/since?after_id=1");
  assert.deepEqual([body.entries[0].kind, body.entries[0].ref], ["heartbeat", "1"]);
});

eachEngine("a clock that leaps over 400 days stops writes, not reads", async (service) => {
  const { register, get, pass, sequenced } = service;
  const ada = await register();
  await sequenced();
  pass(401 * 24 * HOUR_S);
  const refused = await ada.post("/post", { body: "one" });
  assert.deepEqual([refused.status, refused.body.error], [503, "storage_unavailable"]);
  assert.equal((await get("/feed")).body.count, 0);
  await service.shared.seal();
  assert.equal((await get("/seal")).body.total, 0, "no seal has that time");
  // PostgreSQL's sequencing, which comes back by itself, may have met the same refusal and told of it.
  const reported = service.alarms.filter((what) => what !== "sequencing_failed");
  assert.deepEqual(reported, ["clock_leaps"]);
  pass(-401 * 24 * HOUR_S);
  assert.equal((await ada.post("/post", { body: "two" })).status, 201);
});
