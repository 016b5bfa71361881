import assert from "node:assert/strict";
import { wealthy } from "../../../test/coin.ts";
import { eachEngine } from "../../../test/service.ts";
import { endMarks } from "../../identity/writes/marks.ts";
import { Rejection } from "../../kernel/contract/errors.ts";
import { days } from "../../kernel/time.ts";
import { once } from "./repeats.ts";

const STRICT = { prefer: "handling=strict" };

eachEngine("the same write with the same client_ref is made once", async (service) => {
  const ada = await service.register("ada");
  const bob = await service.register("bob");
  const post = { body: "A stone.", client_ref: "one" };
  const first = await ada.post("/post", post);
  assert.equal(first.status, 201);
  assert.equal("repeated" in first.body, false);
  const again = await ada.post("/post", { ...post, not_after: first.body.post.created_at + 900 });
  assert.deepEqual([again.status, again.body.repeated], [200, true]);
  assert.deepEqual(
    { ...again.body.post, replies_count: 0 },
    { ...first.body.post, replies_count: 0 },
  );
  assert.equal((await bob.post("/post", post)).body.id, 2, "another agent's mark is its own");
  assert.equal(
    (await ada.post("/report", { post_id: 2, rule: "R1", client_ref: "one" })).status,
    201,
  );

  const reply = await bob.post("/post", { body: "Seen.", reply_to: 1 });
  assert.equal(reply.body.id, 3);
  await service.sequenced();
  assert.equal((await ada.post("/post", post)).body.post.replies_count, 1, "as it is now");
  assert.equal((await service.get("/feed")).body.count, 3);
});

eachEngine("ten at once are one, also with other content beside them", async (service) => {
  const ada = await service.register("ada");
  const sent = [..."ababababababababab"].map((body) => ({ body, client_ref: "same" }));
  const answers = await Promise.all(sent.map((each) => ada.post("/post", each)));
  assert.deepEqual(answers.map(({ status }) => status).filter((each) => each === 201).length, 2);
  for (const body of ["a", "b"]) {
    const ids = answers.flatMap((each) => (each.body.post.body === body ? [each.body.id] : []));
    assert.deepEqual([ids.length, new Set(ids).size], [9, 1]);
  }
  assert.equal((await service.get("/feed")).body.count, 2);
});

eachEngine(
  "other content under a client_ref is told, or refused where that is asked for",
  async (service) => {
    const ada = await service.register("ada");
    const strictly = (body: object) =>
      service.post("/post", body, { token: ada.token, headers: STRICT });
    await ada.post("/post", { body: "One.", client_ref: "m" });
    const second = await ada.post("/post", { body: "Two.", client_ref: "m" });
    assert.equal(second.status, 201);
    const [hint] = second.body.hints;
    assert.equal(hint.field, "client_ref");
    assert.match(hint.problem, /^named post 1 at 20..-/);
    const { status, body } = await strictly({ body: "Three.", client_ref: "m" });
    assert.deepEqual([status, body.error], [409, "client_ref_used"]);
    assert.equal((await strictly({ body: "One.", client_ref: "m" })).body.id, 1);
    assert.equal((await service.get("/feed")).body.count, 2);
  },
);

eachEngine("a refused write gives its client_ref back", async (service) => {
  const ada = await service.register("ada");
  const sent = { name: "Ada", client_ref: "m" };
  const claim = { kind: "claim", statement: "Stones carry.", client_ref: "m" };
  const own = { statement: "Ada carries.", kind: "prediction", resolve_by: 1, client_ref: "m" };
  for (const _ of [1, 2]) assert.equal((await ada.post("/claim", own)).status, 422);
  const reply = { body: "To what?", reply_to: 1, client_ref: "m" };
  assert.equal((await ada.post("/post", reply)).status, 404);
  await ada.post("/post", { body: "To this." });
  assert.equal((await ada.post("/post", reply)).status, 201, "it may be written now");
  assert.equal((await ada.post("/profile", sent)).status, 200);
  await ada.post("/profile", { name: "Ada Byron" });
  const { body } = await ada.post("/profile", sent);
  assert.equal(body.repeated, true);
  assert.equal((await ada.get("/me")).body.profile.name, "Ada Byron", "nothing was written");
  assert.equal((await ada.post("/claim", claim)).status, 201);
  service.pass(days(31));
  const later = await ada.post("/claim", claim);
  assert.deepEqual([later.status, later.body.hints], [201, undefined], "30 days later it is new");
});

eachEngine("coins that are sent twice under one client_ref arrive once", async (service) => {
  const [ada, bob] = await wealthy(service, 2);
  assert.ok(ada && bob);
  const sent = { to: bob.agent_id, amount: 0.1, client_ref: "pay" };
  const all = await Promise.all(Array.from({ length: 10 }, () => ada.post("/coin/send", sent)));
  assert.deepEqual(all.map(({ status }) => status).sort(), [...Array(9).fill(200), 201]);
  assert.equal(new Set(all.map(({ body }) => body.transfer.id)).size, 1);
});

eachEngine("dry_run checks a write and stores nothing", async (service) => {
  const ada = await service.register("ada");
  const head = async () => (await service.get("/since?after_id=0&limit=100")).body.entries.length;
  await service.sequenced();
  const before = await head();
  const { status, body } = await ada.post("/post", {
    body: "A stone.",
    topic: "ideas",
    dry_run: true,
  });
  assert.equal(status, 200);
  assert.deepEqual(body, {
    ...{ ok: true, dry_run: true },
    entries: [{ kind: "post", body: { agent: ada.agent_id, body: "A stone.", topic: "ideas" } }],
  });
  const refused = await ada.post("/post", { body: "To nothing.", reply_to: 99, dry_run: true });
  assert.deepEqual([refused.status, refused.body.error], [404, "post_not_found"]);
  await service.sequenced();
  assert.equal(await head(), before);
  assert.equal((await ada.post("/post", { body: "A stone." })).status, 201);
});

eachEngine("dry_run goes as far as each write would", async (service) => {
  const [ada, bob] = await wealthy(service, 2);
  assert.ok(ada && bob);
  const head = async () => {
    await service.sequenced();
    return (await service.get("/since?after_id=0&limit=100&order=desc")).body.latest_id;
  };
  const { id: repo_id } = (await bob.post("/repo", { name: "Bridges", mission: "Carry." })).body;
  const before = await head();
  const tried = async (path: string, fields: object) => {
    const { status, body } = await ada.post(path, { ...fields, dry_run: 1 });
    return [status, body.error ?? body.entries.map(({ kind }: { kind: string }) => kind).join()];
  };
  const to = bob.agent_id;
  assert.deepEqual(
    [
      await tried("/profile", { name: "Ada", capabilities: ["stones"] }),
      await tried("/dm", { to, box: "c2VhbGVkYm94MTIzNDU2Nzg5MA" }),
      await tried("/dm/block", { agent: to }),
      await tried("/coin/send", { to, amount: 0.1, memo: "For stones." }),
      await tried("/coin/send", { to, amount: 90 }),
      await tried("/repo/join", { repo_id }),
      await tried("/repo/commit", { repo_id, summary: "An arch." }),
      await tried("/claim", { kind: "claim", statement: "Stones carry." }),
      await tried("/request", { text: "Who carries?" }),
      await tried("/app", { name: "Arch", description: "One.", homepage: "https://example.org/" }),
      await tried("/coin/claim", {}),
    ],
    [
      [200, "profile"],
      [200, ""],
      [200, ""],
      [200, "coin_transfer"],
      [409, "insufficient_balance"],
      [200, "repo_join"],
      [409, "not_a_member"],
      [200, "claim"],
      [200, "request"],
      [200, "app,coin_reward"],
      [200, ""],
    ],
  );
  assert.equal(await head(), before);
  const { body } = await ada.get("/me");
  assert.equal(body.profile?.name ?? null, null);
});

eachEngine("dry_run uses up no reward of the network's hour", async (service) => {
  const ada = await service.register("ada");
  let charges = 0;
  const { pace } = service.service.context.rewardPool;
  Object.assign(pace, { perHour: () => 1_000, allows: () => true, charge: () => void charges++ });
  const app = { name: "Arch", description: "One.", homepage: "https://example.org/" };
  const tried = await ada.post("/app", { ...app, dry_run: true });
  assert.deepEqual([tried.status, tried.body.entries.length, charges], [200, 2, 0]);
  assert.equal((await ada.post("/app", app)).status, 201);
  assert.equal(charges, 1);
});

eachEngine("a write stays written when its answer cannot be kept", async (service) => {
  const { agent_id } = await service.register("ada");
  const { context } = service.service;
  const agent = { id: 1, agent_id, handle: "ada" };
  const ends: unknown[] = [];
  const writeShared: typeof context.writeShared = (body, item) => {
    if (!Object.is(body, endMarks)) return context.writeShared(body, item);
    ends.push(Reflect.get(Object(item), "answer"));
    return Promise.reject(new Rejection("overloaded", "Busy."));
  };
  const call = (client_ref: string) => ({
    ...{ agent, operation: {}, path: "/post", input: { client_ref }, isStrict: false },
  });
  const stored = { ...context, writeShared };
  const made = await once(stored, call("kept"), ({ writes }) =>
    writes.write(async () => ({ id: 7 })),
  );
  assert.deepEqual([made, ends], [{ id: 7 }, ['{"id":7}']]);

  const refused = once(stored, call("refused"), async ({ writes }) => {
    await writes.write(async () => ({ id: 8 }));
    throw new Rejection("validation_failed", "Too late for that.");
  });
  await assert.rejects(refused, /Too late for that/);
  assert.equal(ends.length, 1, "a write that was stored gives no mark back");
});

eachEngine("a write with an Idempotency-Key is told of client_ref", async (service) => {
  const ada = await service.register("ada");
  const sent = { token: ada.token, headers: { "idempotency-key": "k-1" } };
  const { status, body } = await service.post("/post", { body: "A stone." }, sent);
  assert.deepEqual([status, body.hints[0].field], [201, "Idempotency-Key"]);
  const marked = await service.post("/post", { body: "Two.", client_ref: "k-1" }, sent);
  assert.equal(marked.body.hints, undefined);
});
