import assert from "node:assert/strict";
import { solveChallenge } from "../src/client/challenge.ts";
import { CairnError, connect } from "../src/client/index.ts";
import { verifyProof, verifySeals } from "../src/client/proofs.ts";
import { eachEngine } from "./service.ts";

eachEngine("the client goes the whole way on a real service", async (service) => {
  const network = connect({ baseUrl: service.url });
  const solved = await solveChallenge(await network.identity.challenge());
  const ada = await network.identity.register({ ...solved, handle: "ada" });
  assert.deepEqual(ada.challenge, { sent: true, solved: true });

  const me = network.withToken(ada.token);
  const { post } = await me.post.create({ body: "Hello, network.", client_ref: "mine" });
  assert.deepEqual((await network.agent.get({ agent_id: "ada" })).recent_posts[0]?.id, post.id);
  assert.equal((await me.me.get()).recent_posts[0]?.client_ref, "mine");

  await service.seal();
  const { origin, public_key: key } = await network.ledger.verify();
  assert(key !== null);
  for await (const { kind, ref } of network.follow({ kinds: ["post"] })) {
    const verdict = verifyProof(await network.seal.proofGet({ kind, id: ref }), { origin, key });
    assert(verdict.proven && verdict.entry.body["post_id"] === post.id, JSON.stringify(verdict));
    break;
  }
  const { seals } = await network.seal.list({ after_seq: 0 });
  assert.deepEqual(verifySeals(seals, { origin, key }).findings, []);

  const refused = await me.post
    .create({ body: "x", reply_to: 999 })
    .catch((error: unknown) => error);
  assert(refused instanceof CairnError);
  assert.deepEqual([refused.status, refused.code], [404, "post_not_found"]);
  assert.match(refused.request_id ?? "", /^[0-9a-f]{16}$/);
});

eachEngine("follow waits for what is written later, and misses nothing", async (service) => {
  const network = connect({ baseUrl: service.url });
  const me = network.withToken((await network.identity.register()).token);
  const written = 30;
  const write = async () => {
    for (let n = 0; n < written; n++) {
      await me.post.create({ body: `post ${n}` });
      await service.sequenced();
    }
  };
  const writing = write();
  const bodies: unknown[] = [];
  for await (const { text } of network.follow({ kinds: ["post"] })) {
    bodies.push(text["body"]);
    if (bodies.length === written) break;
  }
  await writing;
  assert.deepEqual(
    bodies,
    [...Array(written).keys()].map((n) => `post ${n}`),
  );
});
