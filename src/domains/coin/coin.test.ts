import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { earn, publish, wealthy } from "../../../test/coin.ts";
import { readLedger } from "../../../test/invariants.ts";
import { times } from "../../../test/postgres-store.ts";
import { eachEngine, START, type TestService } from "../../../test/service.ts";
import { statement } from "../../../test/statement.ts";
import { DAY_S, days } from "../../platform/kernel/time.ts";

const ban = statement("update agent set banned_at = 1 where handle = 'bob'");
const change = ({ service }: TestService, sql: ReturnType<typeof statement>) =>
  service.context.write((tx) => tx.run(sql, []));

eachEngine("a balance that is too little is told with what is on its way", async (service) => {
  const [ada, bob] = [await service.register("ada"), await service.register("bob")];
  const send = async () => {
    const { status, body } = await ada.post("/coin/send", { to: "bob", amount: 0.5 });
    assert.deepEqual([status, body.error], [409, "insufficient_balance"]);
    const { message, details } = body;
    return { message, told: details.map(({ problem }: { problem: string }) => problem) };
  };
  const none = await send();
  assert.deepEqual(none.told, ["0", "0", "0", "null"]);
  assert.match(
    none.message,
    /^Your balance is 0 coin, which is too little\. A task of GET \S+tasks/,
  );
  const { entitlement } = await publish(ada);
  const waiting = await send();
  assert.deepEqual(waiting.told, ["0", "0", "0.1", `${entitlement?.matures_at}`]);
  assert.match(waiting.message, /0\.1 pending coin cannot be sent or promised; the next matures/);
  const promise = { text: "Translate it.", ends: "accepted", reward: 0.1 };
  const promised = await ada.post("/request", promise);
  assert.deepEqual([promised.status, promised.body.error], [409, "insufficient_balance"]);
  assert.equal(promised.body.message, waiting.message, "a reward is refused in the same words");
  service.pass(days(20));
  const matured = await send();
  assert.deepEqual(matured.told, ["0", "0.1", "0", "null"]);
  assert.match(matured.message, /POST \/api\/v1\/coin\/claim adds the 0\.1 that have matured/);
  await ada.post("/coin/claim");
  assert.equal((await ada.post("/request", promise)).status, 201);
  assert.equal((await bob.get("/coin")).body.you.balance, 0);
});

eachEngine("an agent sees what it earned, day by day", async (service) => {
  const ada = await service.register("ada");
  const you = async () => (await ada.get("/coin")).body.you;
  assert.deepEqual(await you(), {
    agent_id: ada.agent_id,
    handle: "ada",
    balance: 0,
    pending: 0,
    matured: 0,
    collectable_now: 0,
    rewards_today: 0,
    rewards_left_today: 10,
    day_ends_at: START - (START % DAY_S) + DAY_S,
    next_maturity_at: null,
    next_expiry_at: null,
    credited_total: 0,
    expired_total: 0,
    entitlements: [],
    recent_transfers: [],
    note: "Matured entitlements are collected with POST /api/v1/coin/claim before they expire.",
  });
  const first = await earn(service, ada, "commit/1");
  service.pass(days(1));
  const second = await earn(service, ada, "commit/2");
  const { entitlements, ...figures } = await you();
  assert.deepEqual(
    entitlements.map(({ id }: { id: number }) => id),
    [second.entitlement?.id, first.entitlement?.id],
    "newest first",
  );
  assert.deepEqual(entitlements[0], { ...second.entitlement, amount: 0.1 });
  assert.deepEqual(
    [figures.pending, figures.rewards_today, figures.rewards_left_today],
    [0.2, 1, 9],
  );
  assert.equal(figures.next_maturity_at, START + days(20));
  assert.equal(figures.next_expiry_at, START + days(40));
  service.pass(days(19));
  const later = await you();
  assert.deepEqual([later.pending, later.matured, later.collectable_now], [0.1, 0.1, 0.1]);
  assert.equal(later.next_maturity_at, START + days(21));
  assert.deepEqual((await ada.get("/me")).body.coin, { balance: 0, pending: 0.1, matured: 0.1 });
});

eachEngine(
  "an entitlement matures on day 20 and is gone on day 40, to the second",
  async (service) => {
    const { pass, register } = service;
    const [early, late, never] = [await register(), await register(), await register()];
    for (const agent of [early, late, never]) await earn(service, agent, "commit/1");
    const stateOf = async (agent: typeof early) =>
      (await agent.get("/coin")).body.you.entitlements[0]?.state ?? null;

    pass(days(20) - 1);
    assert.equal(await stateOf(early), "pending");
    assert.equal((await early.post("/coin/claim")).body.collected, 0);
    pass(1);
    assert.equal(await stateOf(early), "matured");
    assert.equal((await early.post("/coin/claim")).body.collected, 0.1);
    pass(days(20) - 1);
    assert.equal(await stateOf(late), "matured");
    assert.equal((await late.post("/coin/claim")).body.collected, 0.1);
    pass(1);
    assert.equal(await stateOf(never), null, "without any job");
    const { body } = await never.post("/coin/claim");
    assert.deepEqual([body.collected, body.balance], [0, 0]);
    const { you } = (await never.get("/coin")).body;
    assert.deepEqual([you.expired_total, you.matured, you.next_expiry_at], [0.1, 0, null]);
    assert.deepEqual((await never.get("/me")).body.coin, { balance: 0, pending: 0, matured: 0 });
  },
);

eachEngine(
  "collecting takes all that is matured in one step, and nothing twice",
  async (service) => {
    const ada = await service.register("ada");
    for (const n of [1, 2, 3]) await earn(service, ada, `app/${n}`, "app");
    service.pass(days(20));
    const pending = await earn(service, ada, "app/4", "app");
    await service.sequenced();
    const before = (await readLedger(service)).length;
    const { status, body } = await ada.post("/coin/claim");
    assert.equal(status, 200);
    const entitlements = [1, 2, 3].map((n) => ({
      id: n,
      amount: 0.1,
      why: "app",
      source: `app/${n}`,
      state: "credited",
      granted_at: START,
      matures_at: START + days(20),
      expires_at: START + days(40),
    }));
    const rest = { balance: 0.3, pending: 0.1, next_maturity_at: pending.entitlement?.matures_at };
    assert.deepEqual(body, { ok: true, collected: 0.3, coin_claim_id: 1, entitlements, ...rest });
    const again = await ada.post("/coin/claim");
    const nothing = { ok: true, collected: 0, coin_claim_id: null, entitlements: [], ...rest };
    assert.deepEqual([again.status, again.body], [200, nothing]);
    await service.sequenced();
    const added = (await readLedger(service)).slice(before);
    assert.deepEqual(
      added.map(({ kind, ref, body: fields }) => ({ kind, ref, ...fields })),
      [
        {
          kind: "coin_claim",
          ref: "1",
          agent: ada.agent_id,
          amount_micro: 300_000,
          coin_claim_id: 1,
          count: 3,
          entitlements: "1,2,3",
          made_at: START + days(20),
        },
      ],
    );
  },
);

eachEngine("coins go from one agent to another, with a public memo", async (service) => {
  const [ada] = await wealthy(service, 1);
  const bob = await service.register("bob");
  assert.ok(ada);
  const memo = "for the proof —\n🪨";
  const sent = { to: "bob", amount: "0.25", memo, client_ref: "mine-1" };
  const { status, body } = await ada.post("/coin/send", sent);
  assert.equal(status, 201);
  const transfer = {
    id: 1,
    from: { agent_id: ada.agent_id, handle: null },
    to: { agent_id: bob.agent_id, handle: "bob" },
    amount: 0.25,
    memo,
    client_ref: "mine-1",
    created_at: START + days(20),
    verified: false,
  };
  assert.deepEqual(body, { ok: true, id: transfer.id, transfer, balance: 0.75 });
  const back = await bob.post("/coin/send", { to: ada.agent_id, amount: 0.000001 });
  assert.equal(back.body.balance, 0.249999);
  assert.deepEqual(
    [back.body.transfer.memo, back.body.transfer.client_ref, back.body.transfer.id],
    [null, null, 2],
  );
  const { recent_transfers } = (await ada.get("/coin")).body.you;
  assert.deepEqual(recent_transfers, [
    {
      id: 1,
      to: transfer.to,
      amount: 0.25,
      client_ref: "mine-1",
      created_at: transfer.created_at,
    },
  ]);
  await service.sequenced();
  const entry = (await readLedger(service)).find(({ kind }) => kind === "coin_transfer");
  assert.deepEqual(entry?.body, {
    transfer_id: 1,
    from: ada.agent_id,
    to: bob.agent_id,
    amount_micro: 250_000,
    memo_sha256: createHash("sha256").update(memo).digest("hex"),
  });
  assert.deepEqual(entry.text, { memo });
  const listed = (await service.get("/coin/ledger?kind=coin_transfer")).body.entries.at(-1);
  const { client_ref, created_at: at, id: ref, ...shown } = transfer;
  assert.deepEqual(listed, { id: entry.id, at, kind: "coin_transfer", ref: `${ref}`, ...shown });
});

eachEngine("an impossible transfer is refused, and says why", async (service) => {
  const [ada] = await wealthy(service, 1);
  assert.ok(ada);
  await service.register("bob");
  await service.sequenced();
  const before = await service.get("/coin/ledger");
  const send = (fields: object) => ada.post("/coin/send", { to: "bob", amount: 0.1, ...fields });
  const amounts = [0, "0", "0.0", -1, "-1", "+1", 1e-7, "1e2", "0.1234567", 0.1234567, "", "x"];
  for (const amount of [...amounts, null, true, [], {}, 100_000_000.1, "100000001", " 1", "1."]) {
    const { status, body } = await send({ amount });
    assert.deepEqual([status, body.error], [422, "validation_failed"], JSON.stringify(amount));
  }
  const faults = [{ memo: "" }, { memo: " " }, { memo: "x".repeat(501) }, { memo: 1 }, { to: 7 }];
  for (const fields of [...faults, { to: "Not A Name" }, { client_ref: "x".repeat(65) }])
    assert.equal((await send(fields)).status, 422, JSON.stringify(fields));
  assert.equal((await ada.post("/coin/send", {})).body.details.length, 2);

  const self = await send({ to: ada.agent_id });
  assert.deepEqual(self.body.details, [{ field: "to", problem: "must be another agent" }]);
  assert.equal(self.status, 422);
  const nobody = await send({ to: "nobody", amount: 5 });
  assert.deepEqual([nobody.status, nobody.body.error], [404, "agent_not_found"]);
  await service.get("/quorum");
  const own = await send({ to: "operator", amount: 1 });
  assert.deepEqual([own.status, own.body.error], [409, "recipient_banned"], "it has no token");
  const poor = await send({ amount: 1.000001 });
  assert.deepEqual([poor.status, poor.body.error], [409, "insufficient_balance"]);
  assert.deepEqual(poor.body.details, [
    { field: "balance", problem: "1" },
    { field: "matured", problem: "0" },
    { field: "pending", problem: "0" },
    { field: "next_maturity_at", problem: "null" },
  ]);
  await change(service, ban);
  const banned = await send({ amount: 5 });
  assert.deepEqual([banned.status, banned.body.error], [409, "recipient_banned"]);
  assert.equal((await service.post("/coin/send", { to: "bob", amount: 1 })).status, 401);

  assert.equal((await ada.get("/coin")).body.you.balance, 1);
  await service.sequenced();
  const after = await service.get("/coin/ledger");
  assert.deepEqual(after.body.entries, before.body.entries, "nothing was recorded");
});

eachEngine("pending and matured coins cannot be sent", async (service) => {
  const ada = await service.register("ada");
  await service.register("bob");
  await earn(service, ada, "commit/1");
  service.pass(days(20));
  const { body } = await ada.post("/coin/send", { to: "bob", amount: 0.1 });
  assert.equal(body.details[0].problem, "0");
});

eachEngine("a banned agent neither collects nor sends, and its rewards expire", async (service) => {
  const bob = await service.register("bob");
  await earn(service, bob, "commit/1");
  service.pass(days(20));
  await change(service, ban);
  for (const path of ["/coin/claim", "/coin/send"]) {
    const { status, body } = await bob.post(path);
    assert.deepEqual([status, body.error], [401, "agent_banned"]);
  }
  const { you } = (await bob.get("/coin")).body;
  assert.deepEqual(Object.keys(you), ["note"], "its token is not valid");
  service.pass(days(20));
  const job = service.shared.jobs.find(({ name }) => name === "coin_expire");
  assert.equal(await job?.run(), 1);
  await service.sequenced();
  assert.equal((await service.get("/coin")).body.supply.reward_pool_available, 50_000_000);
});

eachEngine(
  "the job returns to the pool what nobody collected, and nothing else",
  async (service) => {
    const agents = await Promise.all(times(30, () => service.register()));
    for (const agent of agents)
      for (const n of times(10, (i) => i)) await earn(service, agent, `commit/${n}`);
    const job = service.shared.jobs.find(({ name }) => name === "coin_expire");
    const expire = () => job?.run();
    service.pass(days(40) - 1);
    assert.equal(await expire(), 0);
    await agents[0]?.post("/coin/claim");
    service.pass(1);
    assert.equal(await expire(), 290);
    assert.equal(await expire(), 0);
    await service.sequenced();
    const { supply } = (await service.get("/coin")).body;
    assert.deepEqual(
      [supply.circulating, supply.pending_entitlements, supply.reward_pool],
      [1, 0, 49_999_999],
    );
    const { body } = await service.get(`/coin/ledger?limit=1&agent=${agents[1]?.agent_id}`);
    const { id, at, ref, source, agent, ...entry } = body.entries[0];
    assert.deepEqual(entry, {
      kind: "coin_expire",
      amount: 0.1,
      why: "repo_commit",
      state: "expired",
      matures_at: START + days(20),
      expires_at: START + days(40),
    });
    assert.equal((await agents[1]?.get("/coin"))?.body.you.expired_total, 1);
  },
);

eachEngine("a clock that falls back pays nothing early and nothing twice", async (service) => {
  const ada = await service.register("ada");
  await earn(service, ada, "commit/1");
  service.pass(days(20));
  await service.register("witness");
  await service.sequenced();
  service.pass(-days(15));
  const early = await earn(service, ada, "commit/2");
  assert.equal(early.entitlement?.granted_at, START + days(20), "time stands still");
  assert.equal((await ada.post("/coin/claim")).body.collected, 0.1);
  assert.equal((await ada.post("/coin/claim")).body.collected, 0);
  service.pass(days(15) + days(20) - 1);
  assert.equal((await ada.post("/coin/claim")).body.collected, 0);
  service.pass(1);
  assert.equal((await ada.post("/coin/claim")).body.collected, 0.1);
});
