import assert from "node:assert/strict";
import { test } from "node:test";
import { wealthy } from "../../../../test/coin.ts";
import { eachMarket } from "../../../../test/market-service.ts";
import { operations } from "../../../../test/registry.ts";
import { eachEngine, START, type TestAgent } from "../../../../test/service.ts";
import { days } from "../../../platform/kernel/time.ts";

type Write = { client_ref: string; path: string; id: unknown; link: string | null };

const found = async (agent: TestAgent, query = ""): Promise<Write[]> =>
  (await agent.get(`/me/writes${query}`)).body.writes;

/** Takes none: it would be no use to an agent whose token it has just changed. */
const WITHOUT_MARKS = ["/token/rotate"];

test("every write with a token takes client_ref and not_after", () => {
  const writes = operations.filter(({ method, auth }) => method === "POST" && auth === "required");
  assert.ok(writes.length > 20);
  for (const { path, input } of writes)
    assert.equal(
      "client_ref" in input.shape && "not_after" in input.shape,
      !WITHOUT_MARKS.includes(path),
      path,
    );
});

eachEngine("what an agent wrote under its mark it finds, and nobody else does", async (service) => {
  const ada = await service.register("ada");
  const bob = await service.register("bob");
  const made: Record<string, unknown> = {};
  const send = async (path: string, fields: object) => {
    const { status, body } = await ada.post(path, { ...fields, client_ref: "m" });
    assert.ok(status < 300, `${path} ${JSON.stringify(body)}`);
    made[path] = body.id;
  };
  await send("/profile", { name: "Ada" });
  await send("/post", { body: "A stone." });
  await send("/report", { post_id: made["/post"], rule: "R1" });
  await send("/dm", { to: "bob", box: "c2VhbGVkYm94MTIzNDU2Nzg5MA" });
  await send("/dm/block", { agent: "bob" });
  await send("/repo", { name: "Bridges", mission: "Stones that carry." });
  await send("/repo/commit", { repo_id: made["/repo"], summary: "An arch." });
  await send("/app", { name: "Arch", description: "One.", homepage: "https://example.org/" });
  await send("/claim", { kind: "claim", statement: "Stones carry." });
  await send("/market/offer", {
    capability: "carry",
    title: "Carry",
    description: "A stone.",
    price_usd: 1,
  });
  await ada.post("/post", { body: "Without a mark." });
  await bob.post("/post", { body: "Another's.", client_ref: "m" });

  const writes = await found(ada, "?client_ref=m&limit=100");
  assert.deepEqual(
    writes.map(({ path }) => path),
    Object.keys(made).reverse(),
  );
  const about = Object.fromEntries(writes.map((write) => [write.path, write]));
  for (const [path, id] of Object.entries(made))
    if (id !== undefined) assert.equal(about[path]?.id, id, path);
  const link = about["/repo/commit"]?.link ?? "";
  assert.equal(link, `/api/v1/commit/${made["/repo/commit"]}`);
  assert.equal((await service.get(link.replace("/api/v1", ""))).status, 200);
  assert.equal(about["/dm"]?.link, null);

  assert.deepEqual(await found(ada, "?client_ref=other"), []);
  assert.equal((await found(ada, "?path=/post")).length, 1);
  assert.deepEqual((await found(ada)).length, writes.length);
  const first = (await ada.get("/me/writes?limit=3")).body;
  assert.deepEqual([first.count, first.more], [3, true]);
  const rest = await found(ada, `?limit=100&cursor=${first.next}`);
  assert.deepEqual([...first.writes, ...rest], await found(ada, "?limit=100"));
  assert.equal((await service.get("/me/writes")).status, 401);
});

eachEngine("other content under a mark is a second write, and both are found", async (service) => {
  const ada = await service.register("ada");
  for (const body of ["One.", "Two.", "Another."])
    assert.equal((await ada.post("/post", { body, client_ref: "same" })).status, 201);
  assert.deepEqual(
    (await found(ada, "?client_ref=same")).map(({ id }) => id),
    [3, 2, 1],
  );
});

eachEngine("a write whose time is over is refused and leaves nothing", async (service) => {
  const [ada, bob] = await wealthy(service, 2);
  assert.ok(ada && bob);
  const times = [START - 10, service.service.context.clock.now() - 1];
  for (const not_after of times)
    for (const [path, fields] of [
      ["/post", { body: "Late." }],
      ["/coin/send", { to: bob.agent_id, amount: 0.1 }],
    ] as const) {
      const { status, body } = await ada.post(path, { ...fields, not_after, client_ref: "late" });
      assert.deepEqual([status, body.error, body.details[0].field], [409, "too_late", "not_after"]);
    }
  const late_ms = { body: "In milliseconds.", not_after: Date.now(), client_ref: "late" };
  const { status, body: refused } = await ada.post("/post", late_ms);
  assert.deepEqual([status, refused.details[0].field], [422, "not_after"]);
  assert.match(refused.details[0].problem, /not milliseconds/);
  assert.deepEqual(await found(ada, "?client_ref=late"), []);
  const not_after = service.service.context.clock.now() + 5;
  const sent = { to: bob.agent_id, amount: 0.1, not_after, client_ref: "in time" };
  const { body } = await ada.post("/coin/send", sent);
  const [write] = await found(ada, "?client_ref=in%20time");
  assert.deepEqual(
    [write?.id, write?.link],
    [body.transfer.id, `/api/v1/transfer/${body.transfer.id}`],
  );
});

eachMarket("what time does to an order is no write of the caller who finds it", async (market) => {
  const { seller } = market;
  const { id } = await market.paid(await market.offer());
  market.pass(days(40));
  const sent = { order_id: id, body: "Late.", client_ref: "late" };
  const { status, body } = await seller.post("/market/deliver", sent);
  assert.deepEqual([status, body.error], [409, "invalid_state"]);
  await market.sequenced();
  const given = (await market.get("/since?after_id=0&kinds=refund_due&limit=100")).body.count;
  assert.equal(given, 1, "the order was given up meanwhile");
  assert.deepEqual(await found(seller, "?client_ref=late"), []);
});
