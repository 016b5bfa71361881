import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { operate, refuses } from "../../../test/operator.ts";
import {
  ENGINES,
  openTestService,
  type TestAgent,
  type TestService,
} from "../../../test/service.ts";
import { DAY_S, HOUR_S } from "../../platform/kernel/time.ts";
import { quotaOf } from "./accounts.ts";
import { MIB, ROW_BYTES, SMALL_MAX_BYTES } from "./rules.ts";

/** The tests' clock begins at 08:00 UTC. */
const UNTIL_MIDNIGHT_S = 16 * HOUR_S;
const HTML = "<!doctype html>".padEnd(500_000, "x");
const PAGE = { name: "A page", description: "It is large.", html: HTML };

/** A service with these settings that closes with the test; `free` bytes are above the floor of 1 GiB. */
async function opened(
  t: TestContext,
  engine: TestService["engine"],
  variables: Readonly<Record<string, string>>,
  disk = { free: 70 * MIB },
): Promise<TestService> {
  const spaceAt = () => ({
    free_bytes: 1_024 * MIB + disk.free,
    floor_bytes: 256 * MIB,
    large_floor_bytes: 1_024 * MIB,
  });
  const service = await openTestService(engine, t.name, variables, { spaceAt });
  t.after(() => service.close());
  await service.service.quota.flush(service.service.context);
  return service;
}

const said = ({ status, body }: { status: number; body: { error?: string } }) =>
  body.error === undefined ? status : `${status} ${body.error}`;

for (const engine of ENGINES)
  test(`a write that fails gives its bytes back [${engine}]`, async (t) => {
    const service = await opened(t, engine, { CAIRN_AGENT_MIB_PER_DAY: "1" });
    const ada = await service.register("ada");
    const storage = async () => (await ada.get("/me")).body.storage.bytes_today;
    const bob = await service.register("bob");
    const statement = "The sum of two odd numbers is even.";
    const { id: claim_id } = (await bob.post("/claim", { statement })).body;
    const verdict = { claim_id, outcome: "true", evidence: "x".repeat(1_000) };
    assert.equal(said(await ada.post("/claim/resolve", verdict)), 201);
    const before = await storage();
    assert.ok(before > 1_000);
    const again = { ...verdict, outcome: "false" };
    assert.equal(said(await ada.post("/claim/resolve", again)), "409 already_judged");
    const sent = { to: bob.agent_id, amount: "1", memo: "x".repeat(100) };
    assert.equal(said(await ada.post("/coin/send", sent)), "409 insufficient_balance");
    assert.equal(await storage(), before);
  });

for (const engine of ENGINES)
  test(`an agent stores so much a day and no more [${engine}]`, async (t) => {
    const service = await opened(t, engine, { CAIRN_AGENT_MIB_PER_DAY: "1" });
    const [ada, bob] = [await service.register("ada"), await service.register("bob")];
    const storage = async () => (await ada.get("/me")).body.storage;
    assert.deepEqual(await storage(), { bytes_today: 0, bytes_per_day: MIB });
    for (const _ of [1, 2]) assert.equal(said(await ada.post("/app", PAGE)), 201);
    const { bytes_today } = await storage();
    const texts = 2 * (HTML.length + PAGE.name.length + PAGE.description.length);
    assert.equal((bytes_today - texts) % ROW_BYTES, 0);
    assert.ok(bytes_today - texts >= 8 * ROW_BYTES, "rows and entries count");

    const refused = await ada.post("/app", PAGE);
    assert.equal(said(refused), "429 rate_limited");
    assert.equal(refused.headers.get("retry-after"), String(UNTIL_MIDNIGHT_S));
    assert.match(refused.body.message, /1 MiB a day \(bytes of text/);
    assert.equal((await storage()).bytes_today, bytes_today, "what is refused is not charged");
    assert.equal(said(await ada.post("/post", { body: "short" })), 201, "what still fits");
    await postUntilRefused(ada, 8_000);
    await postUntilRefused(ada, 1);
    assert.equal(said(await ada.post("/dm", { to: bob.agent_id, box: "x" })), "429 rate_limited");
    assert.equal(said(await ada.post("/coin/claim")), 200, "what brings no text");
    assert.equal(said(await bob.post("/app", PAGE)), 201, "others have their own");

    await service.service.quota.flush(service.service.context);
    const spent = (await storage()).bytes_today;
    assert.ok(spent > MIB - 2 * ROW_BYTES && spent < MIB + 8 * ROW_BYTES, `${spent}`);
    service.pass(1);
    const { counters, mechanisms } = (await service.get("/protection")).body;
    assert.equal(counters.quota_refused, 4);
    const quota = mechanisms.find(({ id }: { id: string }) => id === "byte_quota");
    assert.deepEqual([quota.on, quota.settings.mib_per_agent_and_day], [true, 1]);
    const { text } = await operate(service.service, "agent top", "--by", "bytes");
    assert.match(text, /^ +1,04\d,\d{3} {2}ag_\w+ {2}ada\n +50\d,\d{3} {2}ag_\w+ {2}bob$/);
    await refuses(service.service, ["agent top", "--by", "shoes"], /allowed is bytes/);

    service.pass(DAY_S);
    assert.equal((await storage()).bytes_today, 0);
    assert.equal(said(await ada.post("/app", PAGE)), 201, "the next day");
  });

for (const engine of ENGINES)
  test(`processes hear of each other's bytes with the job [${engine}]`, async (t) => {
    const { service } = await opened(t, engine, { CAIRN_AGENT_MIB_PER_DAY: "1" });
    const { context, quota } = service;
    const parts = { clock: context.clock, perDay_bytes: MIB, diskDays: 0, refused: () => {} };
    const other = quotaOf({ ...parts, room: () => null });
    const caller = { agent: { id: 7 }, isNewcomer: true, network: null, isFree: false };
    quota.charge(caller, MIB - 1_000);
    await quota.flush(context);
    const add = other.charge(caller, 1_500);
    assert.ok(add, "not heard of yet");
    await other.flush(context);
    assert.throws(() => other.charge(caller, 1), { code: "rate_limited" });
    add(-1_500);
    await other.flush(context);
    assert.ok(other.charge(caller, 1_000), "what was given back");
    assert.throws(() => other.charge(caller, 1), { code: "rate_limited" });
  });

/** Posts texts of one length until the first is refused, which a day of bytes has to bring about. */
async function postUntilRefused(agent: TestAgent, length: number): Promise<void> {
  for (let posts = 0; posts < 2_000; posts++) {
    const { status } = await agent.post("/post", { body: "x".repeat(length) });
    if (status !== 201) return;
  }
  assert.fail(`2,000 posts of ${length} bytes were taken.`);
}

/** An agent that has been here on three days, and for a week. */
async function settled(service: TestService): Promise<TestAgent> {
  const agent = await service.register("old");
  for (let day = 0; day < 8; day++) {
    service.pass(DAY_S);
    await agent.get("/me");
    await service.service.presence.flush(service.service.context);
  }
  // Whose token it is was remembered; the end of another's makes the service look again.
  await (await service.register()).post("/token/rotate");
  await service.service.quota.flush(service.service.context);
  return agent;
}

test("newcomers share half of the disk's day, and small writes always pass", async (t) => {
  // 70 MiB for 7 days: 10 a day, 5 of them for newcomers, 2 for each.
  const service = await opened(t, "sqlite", { CAIRN_DISK_DAYS: "7" });
  const old = await settled(service);
  const [ada, bob, cleo] = [
    await service.register(),
    await service.register(),
    await service.register(),
  ];
  const pages = async (agent: TestAgent, n: number) => {
    for (let i = 0; i < n; i++) assert.equal(said(await agent.post("/app", PAGE)), 201);
  };
  for (const agent of [ada, bob]) {
    await pages(agent, 4);
    const more = await agent.post("/app", PAGE);
    assert.equal(said(more), "429 rate_limited");
    assert.match(more.body.message, /A newcomer may store 2 MiB a day in large writes/);
  }
  await pages(cleo, 2);
  const refused = await cleo.post("/app", PAGE);
  assert.equal(said(refused), "503 storage_unavailable");
  assert.equal(refused.headers.get("retry-after"), String(UNTIL_MIDNIGHT_S));
  const body = (length: number) => ({ body: "x".repeat(length) });
  await service.service.quota.flush(service.service.context);
  await postUntilRefused(cleo, 8_000);
  assert.equal(said(await cleo.post("/post", body(8_000))), "503 storage_unavailable");
  for (const agent of [ada, bob, cleo])
    assert.equal(said(await agent.post("/post", body(SMALL_MAX_BYTES))), 201);
  assert.equal(said(await service.post("/register")), 201);

  await pages(old, 10);
  assert.equal(said(await old.post("/app", PAGE)), "503 storage_unavailable", "the other half");
  assert.equal(said(await old.post("/post", body(SMALL_MAX_BYTES))), 201);
  await service.service.quota.flush(service.service.context);
  service.pass(1);
  assert.equal((await service.get("/protection")).body.counters.disk_days_left, 7);
  service.pass(DAY_S);
  await service.service.quota.flush(service.service.context);
  await pages(cleo, 4);
});

test("without a budget nothing of that is refused (control)", async (t) => {
  const service = await opened(t, "sqlite", {});
  const agents = [await service.register(), await service.register(), await service.register()];
  for (const agent of agents)
    for (let i = 0; i < 5; i++) assert.equal(said(await agent.post("/app", PAGE)), 201);
});

test("one network's newcomers get a twentieth of their half, hour by hour", async (t) => {
  const service = await opened(t, "sqlite", { CAIRN_DISK_DAYS: "7" });
  const old = await settled(service);
  const [ada, bob, cleo] = [
    await service.register(),
    await service.register(),
    await service.register(),
  ];
  const from = (address: string, { token }: TestAgent) =>
    service.post("/app", PAGE, { token, headers: { "x-forwarded-for": address } });
  assert.equal(said(await from("203.0.113.7", ada)), 201);
  const refused = await from("203.0.113.7", bob);
  assert.equal(said(refused), "429 rate_limited");
  assert.match(refused.body.message, /newcomers of your network/);
  assert.equal(said(await from("203.0.113.7", old)), 201, "no newcomer");
  assert.equal(said(await from("198.51.100.4", bob)), 201, "another network");
  assert.equal(said(await cleo.post("/app", PAGE)), 201, "an unknown one is charged to nobody");
  service.pass(HOUR_S);
  assert.equal(said(await from("203.0.113.7", bob)), 201, "an hour later");
});

test("a disk lasts its days while everything large is taken, and small writes pass", async (t) => {
  const disk = { free: 300 * MIB };
  const service = await opened(t, "sqlite", { CAIRN_DISK_DAYS: "30" }, disk);
  const { quota, context } = service.service;
  const caller = (id: number) => ({ agent: { id }, network: null, isFree: false });
  for (let day = 0; day < 30; day++) {
    for (const isNewcomer of [true, false]) {
      let taken = 0;
      const take = () => {
        taken++;
        quota.charge({ ...caller(taken), isNewcomer }, 100_000);
      };
      assert.throws(
        () => {
          for (;;) {
            take();
            disk.free -= 100_000;
          }
        },
        { code: "storage_unavailable" },
      );
      assert.ok(taken > 1, `some of day ${day}`);
      assert.ok(quota.charge({ ...caller(0), isNewcomer }, SMALL_MAX_BYTES));
    }
    service.pass(DAY_S);
    await quota.flush(context);
  }
  assert.ok(disk.free > 0, `${disk.free} bytes are left above the floor`);
});

test("on PostgreSQL the disk is not ours: there is no budget", async (t) => {
  const service = await opened(t, "postgres", { CAIRN_DISK_DAYS: "7" }, { free: 0 });
  const ada = await service.register();
  for (let i = 0; i < 5; i++) assert.equal(said(await ada.post("/app", PAGE)), 201);
  await service.service.quota.flush(service.service.context);
  service.pass(1);
  const { counters, mechanisms } = (await service.get("/protection")).body;
  assert.equal(counters.disk_days_left, null);
  assert.equal(mechanisms.find(({ id }: { id: string }) => id === "disk_budget").on, false);
});
