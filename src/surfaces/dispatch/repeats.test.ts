import assert from "node:assert/strict";
import { wealthy } from "../../../test/coin.ts";
import { eachEngine } from "../../../test/service.ts";
import { findAgent } from "../../domains/identity/agents.ts";
import { endMarks } from "../../domains/identity/writes/marks.ts";
import { ROW_BYTES } from "../../domains/quota/rules.ts";
import type { Store } from "../../platform/db/engine.ts";
import { Rejection, reject } from "../../platform/kernel/contract/errors.ts";
import { days } from "../../platform/kernel/time.ts";
import { once } from "./repeats.ts";
import { stepping } from "./write-steps.ts";

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
  const { post, ...rest } = body;
  assert.deepEqual(rest, {
    ok: true,
    id: null,
    mentions: [],
    dry_run: true,
    entries: [{ kind: "post", body: { agent: ada.agent_id, body: "A stone.", topic: "ideas" } }],
  });
  assert.deepEqual([post.id, post.body, post.agent.handle], [null, "A stone.", "ada"]);
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
  const { context, store } = service.service;
  const agent = { id: 1, agent_id, handle: "ada" };
  const ends: unknown[] = [];
  const write: Store["write"] = (body, kind) =>
    store.write((tx) => {
      const together: typeof tx.together = (work, item) => {
        if (!Object.is(work, endMarks)) return tx.together(work, item);
        ends.push(Reflect.get(Object(item), "answer"));
        return reject("overloaded", "Busy.");
      };
      return body({ ...tx, together });
    }, kind);
  const call = (client_ref: string) => ({
    agent,
    operation: {},
    path: "/post",
    input: { client_ref },
    isStrict: false,
  });
  const stored = { ...context, write };
  const made = await once(stored, call("kept"), ({ taking }) =>
    stepping(write, taking)(async () => ({ id: 7 })),
  );
  assert.deepEqual([made, ends], [{ id: 7 }, ['{"id":7}']]);

  const refused = once(stored, call("refused"), async ({ taking }) => {
    await stepping(write, taking)(async () => ({ id: 8 }));
    throw new Rejection("validation_failed", "Too late for that.");
  });
  await assert.rejects(refused, /Too late for that/);
  assert.equal(ends.length, 1, "a write that was stored gives no mark back");
});

eachEngine("a trial that a header field asks for makes nothing", async (service) => {
  const { token } = await service.register("ada");
  const send = (headers: Readonly<Record<string, string>>) =>
    service.post("/post", { body: "A stone." }, { token, headers });
  for (const name of ["dry-run", "X-Dry-Run"]) {
    const { status, body } = await send({ [name]: "true" });
    assert.deepEqual([status, body.details[0].field], [422, "Dry-Run"]);
  }
  assert.equal((await service.get("/feed")).body.count, 0);
  assert.equal((await send({ "Dry-Run": "false" })).status, 201);
});

eachEngine("an Idempotency-Key is a strict client_ref", async (service) => {
  const ada = await service.register("ada");
  const keyed = (path: string, sent: object, key = "k-1") =>
    service.post(path, sent, { token: ada.token, headers: { "idempotency-key": key } });
  const first = await keyed("/post", { body: "A stone." });
  assert.deepEqual([first.status, first.body.hints], [201, undefined]);
  const again = await keyed("/post", { body: "A stone." }, '"k-1"');
  assert.deepEqual([again.status, again.body.repeated, again.body.id], [200, true, first.body.id]);
  const both = await keyed("/post", { body: "A stone.", client_ref: "k-1" });
  assert.deepEqual([both.status, both.body.id], [200, first.body.id], "said twice is said once");
  const other = await keyed("/post", { body: "Two." });
  assert.deepEqual([other.status, other.body.error], [409, "client_ref_used"]);
  const tried = await keyed("/post", { body: "Two.", dry_run: true });
  assert.deepEqual([tried.status, tried.body.error], [409, "client_ref_used"], "so says its trial");
  const differs = await keyed("/post", { body: "A stone.", client_ref: "k-2" });
  assert.deepEqual([differs.status, differs.body.details[0].field], [422, "Idempotency-Key"]);
  for (const key of ["", "x".repeat(65)]) {
    const { status, body } = await keyed("/post", { body: "A stone." }, key);
    assert.deepEqual([status, body.details?.[0].field], [422, "Idempotency-Key"], key);
  }
  const registered = await keyed("/register", {});
  assert.deepEqual([registered.status, registered.body.hints[0].field], [201, "Idempotency-Key"]);
  assert.equal((await service.get("/feed")).body.count, 1);
});

eachEngine("the same coins sent twice without a mark are told of each other", async (service) => {
  const [ada, bob] = await wealthy(service, 2);
  assert.ok(ada && bob);
  const sent = { to: bob.agent_id, amount: 0.1, memo: "For stones." };
  const first = await ada.post("/coin/send", sent);
  assert.equal(first.body.hints, undefined);
  const tried = await ada.post("/coin/send", { ...sent, dry_run: true });
  const second = await ada.post("/coin/send", sent);
  for (const { body } of [tried, second])
    assert.match(body.hints[0].problem, new RegExp(`^transfer ${first.body.id} of 20..-`));
  assert.equal((await ada.post("/coin/send", { ...sent, memo: "More." })).body.hints, undefined);
  assert.equal((await ada.post("/coin/send", { ...sent, client_ref: "m" })).body.hints, undefined);
  service.pass(601);
  assert.equal((await ada.post("/coin/send", sent)).body.hints, undefined, "ten minutes later");
});

eachEngine("a trial says what its mark would say", async (service) => {
  const ada = await service.register("ada");
  const post = { body: "A stone for @nobody-here.", client_ref: "m" };
  const first = await ada.post("/post", post);
  const same = await ada.post("/post", { ...post, dry_run: true });
  assert.deepEqual([same.body.repeated, same.body.id, same.status], [true, first.body.id, 200]);
  const other = { ...post, body: "Another for @nobody-here.", tags: ["a"], dry_run: 1 };
  const { body } = await ada.post("/post", other);
  assert.deepEqual(
    body.hints.map(({ field }: { field: string }) => field),
    ["client_ref", "body", "tags"],
  );
  assert.equal((await service.get("/feed")).body.count, 1);
});

eachEngine(
  "a marked write that is refused is not charged, and one that is made is",
  async (service) => {
    const [ada, bob] = [await service.register("ada"), await service.register("bob")];
    const { context } = service.service;
    const { id } = await findAgent(context, "ada");
    const before = context.storedBytes.unsaved(id);
    const sent = { to: bob.agent_id, amount: 5, memo: "For nothing.", client_ref: "m" };
    const refused = await ada.post("/coin/send", sent);
    assert.equal(refused.body.error, "insufficient_balance");
    assert.equal(context.storedBytes.unsaved(id), before);
    await ada.post("/post", { body: "A stone.", client_ref: "p" });
    // The post, its entry, its place under the mark; the text and the mark itself.
    const bytes = 4 * ROW_BYTES + "A stone.p".length;
    assert.equal(context.storedBytes.unsaved(id) - before, bytes);
  },
);
