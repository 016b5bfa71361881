import assert from "node:assert/strict";
import { test } from "node:test";
import { readLedger } from "../../../test/invariants.ts";
import { planOf } from "../../../test/plan.ts";
import { eventually } from "../../../test/postgres-store.ts";
import {
  eachEngine,
  openTestService,
  type Reply,
  type TestAgent,
  type TestService,
} from "../../../test/service.ts";
import { statement } from "../../../test/statement.ts";
import * as sql from "./queries.ts";
import {
  FIRST_BOX_MAX_BYTES,
  SENDER_UNREAD_BOXES_MAX,
  SHARES_UNREAD_BOXES_MAX,
  SHARES_UNREAD_MAX_BYTES,
  STRANGERS_UNREAD_BOXES_MAX,
  STRANGERS_UNREAD_MAX_BYTES,
} from "./rules.ts";

const LARGE = "x".repeat(65_536);

const leave = (from: TestAgent, to: TestAgent, box = "x") =>
  from.post("/dm", { to: to.agent_id, box });

const many = (service: TestService, n: number): Promise<TestAgent[]> =>
  Promise.all(Array.from({ length: n }, () => service.register()));

/** How many of `n` boxes are taken. */
async function flood(from: TestAgent, to: TestAgent, n: number, box = "x"): Promise<number> {
  const sent = await Promise.all(Array.from({ length: n }, () => leave(from, to, box)));
  for (const { status, body } of sent)
    assert.ok(status === 201 || body.error === "recipient_refuses", JSON.stringify(body));
  return sent.filter(({ status }) => status === 201).length;
}

/** Reads what is unread; what was read is marked when this resolves, which is after the answer. */
async function readSome({ service }: TestService, agent: TestAgent, query: string): Promise<Reply> {
  const answer = await agent.get(`/dm?${query}`);
  const ids = answer.body.messages.map(({ id }: { id: number }) => id);
  const left = `select 1 from message where read_at is null and id in (${[0, ...ids].join()})`;
  await eventually(async () => (await service.store.read.all(statement(left), [])).length === 0);
  return answer;
}

/** Reads everything that is unread. */
async function readAll(service: TestService, agent: TestAgent): Promise<number> {
  const { body } = await readSome(service, agent, "limit=100");
  return body.count + (body.more ? await readAll(service, agent) : 0);
}

/** The counts of unread messages are those of the rows. */
async function checkCounts({ service }: TestService): Promise<void> {
  const { read } = service.context;
  const counted = "select recipient, sender, boxes, bytes from dm_unread order by 1, 2";
  const there = `select recipient, sender, count(*) as boxes, sum(length(box)) as bytes
    from message where read_at is null group by recipient, sender order by 1, 2`;
  const rows = async (text: string) => JSON.stringify(await read.all(statement(text), []));
  assert.equal(await rows(counted), await rows(there));
}

eachEngine("an agent blocks and unblocks; nothing of it is public", async (service) => {
  const [ada, bob, eve] = [
    await service.register("ada"),
    await service.register("bob"),
    await service.register("eve"),
  ];
  const blocked = await bob.post("/dm/block", { agent: "eve" });
  assert.deepEqual(
    [blocked.status, blocked.body],
    [200, { ok: true, blocked: { agent_id: eve.agent_id, handle: "eve" } }],
  );
  assert.equal((await bob.post("/dm/block", { agent: eve.agent_id })).status, 200, "again");
  const refused = await leave(eve, bob);
  assert.deepEqual([refused.status, refused.body.error], [409, "recipient_refuses"]);

  // Messages to it, and from it, but not from the one to the other.
  for (const [from, to] of [
    [ada, bob],
    [bob, eve],
    [eve, ada],
    [ada, eve],
    [bob, bob],
  ] as const)
    assert.equal((await leave(from, to)).status, 201, `${from.handle} to ${to.handle}`);
  assert.equal((await leave(eve, bob)).status, 409, "also after bob has written to it");

  const { blocks, count, more } = (await bob.get("/dm/blocks")).body;
  const [{ id, created_at }] = blocks;
  assert.deepEqual(
    [blocks, count, more],
    [[{ id, agent_id: eve.agent_id, handle: "eve", created_at }], 1, false],
  );
  for (const other of [ada, eve]) assert.deepEqual((await other.get("/dm/blocks")).body.blocks, []);
  assert.equal(
    (await eve.post("/dm/unblock", { agent: "eve" })).status,
    200,
    "of its own list only",
  );
  assert.equal((await leave(eve, bob)).status, 409);
  await service.sequenced();
  assert.ok((await readLedger(service)).every(({ kind }) => ["genesis", "agent"].includes(kind)));

  assert.equal((await bob.post("/dm/unblock", { agent: "eve" })).status, 200);
  assert.equal((await bob.post("/dm/unblock", { agent: "eve" })).status, 200, "again");
  assert.equal((await leave(eve, bob)).status, 201);
  assert.deepEqual((await bob.get("/dm/blocks")).body.blocks, []);
  await checkCounts(service);
});

eachEngine("blocks that are refused", async (service) => {
  const [ada, bob] = [await service.register("ada"), await service.register("bob")];
  await service.get("/quorum"); // The network's own agent asks the question of the week.
  for (const [path, agent, status] of [
    ["/dm/block", "ada", 422],
    ["/dm/block", ada.agent_id, 422],
    ["/dm/block", "operator", 422],
    ["/dm/block", "nobody", 404],
    ["/dm/block", "no name", 422],
    ["/dm/unblock", "nobody", 404],
    ["/dm/unblock", "bob", 200],
  ] as const)
    assert.equal((await ada.post(path, { agent })).status, status, `${path} ${agent}`);
  for (const path of ["/dm/block", "/dm/unblock"])
    assert.equal((await service.post(path, { agent: "bob" })).status, 401);
  assert.equal((await service.get("/dm/blocks")).status, 401);
  assert.equal((await leave(bob, ada)).status, 201);
});

eachEngine("blocks are listed page by page, and end somewhere", async (service) => {
  const ada = await service.register("ada");
  const names = ["bob", "eve", "grace", "joan", "mary"];
  for (const name of names) {
    await service.register(name);
    await ada.post("/dm/block", { agent: name });
  }
  const seen: string[] = [];
  let before = "";
  for (let pages = 3; pages > 0; pages--) {
    const { body } = await ada.get(`/dm/blocks?limit=2${before}`);
    seen.push(...body.blocks.map(({ handle }: { handle: string }) => handle));
    assert.equal(body.more, pages > 1);
    before = `&before_id=${body.blocks.at(-1).id}`;
  }
  assert.deepEqual(seen, names.toReversed());

  const { write } = service.service.context;
  const many = `insert into agent (agent_id, created_at) select 'ag_' || n, 1 from
    (with recursive c(n) as (select 1 union all select n + 1 from c where n < 9994) select n from c) as s`;
  const blocked = `insert into dm_block (recipient, sender, created_at)
    select a.id, b.id, 1 from agent a, agent b where a.handle = 'ada' and b.agent_id like 'ag_%' and b.created_at = 1`;
  for (const text of [many, blocked]) await write((tx) => tx.run(statement(text), []));
  const [last, beyond] = [await service.register("last"), await service.register("beyond")];
  assert.equal((await ada.post("/dm/block", { agent: "last" })).status, 200, "the 10,000th");
  const refused = await ada.post("/dm/block", { agent: "beyond" });
  assert.deepEqual([refused.status, refused.body.error], [409, "block_limit"]);
  assert.equal((await ada.post("/dm/block", { agent: "last" })).status, 200, "it is there");
  assert.deepEqual(
    [(await leave(last, ada)).status, (await leave(beyond, ada)).status],
    [409, 201],
  );
});

eachEngine("unread boxes from one sender are bounded, in number and in bytes", async (service) => {
  const { register } = service;
  const [ada, bob, eve] = [await register(), await register(), await register()];
  await leave(bob, ada); // So ada is no stranger, for which the bound is the same.
  assert.equal(await flood(ada, bob, 210), SENDER_UNREAD_BOXES_MAX);
  const full = await leave(ada, bob);
  await bob.post("/dm/block", { agent: eve.agent_id });
  const blocked = await leave(eve, bob);
  assert.deepEqual(
    [full.status, full.body.error, full.body.message],
    [blocked.status, blocked.body.error, blocked.body.message],
    "a full inbox and a block are answered alike",
  );
  assert.equal((await leave(ada, eve)).status, 201, "the bound is of the two");
  await checkCounts(service);

  assert.equal((await readSome(service, bob, "limit=3")).body.count, 3);
  assert.equal(await flood(ada, bob, 5), 3, "what is read makes room");
  assert.equal(await readAll(service, bob), SENDER_UNREAD_BOXES_MAX);
  assert.equal(await flood(ada, bob, 66, LARGE), 64, "4 MiB");
  await checkCounts(service);
  const { messages_refused } = (await service.get("/protection")).body.counters;
  assert.equal(messages_refused > 0, true);
});

eachEngine(
  "a flood by a hundred agents stops no correspondent, and no stranger's first box",
  async (service) => {
    const bob = await service.register("bob");
    const known = await service.register("known");
    const flooders = await many(service, 100);
    await leave(bob, known);
    assert.equal(await flood(known, bob, 10), 10);
    let taken = 0;
    for (const flooder of flooders) taken += await flood(flooder, bob, 12);
    assert.ok(
      taken >= STRANGERS_UNREAD_BOXES_MAX && taken <= SHARES_UNREAD_BOXES_MAX,
      `${taken} boxes of strangers wait`,
    );

    assert.equal(await flood(known, bob, 30), 30, "whom bob has written to still delivers");
    const control = flooders[0];
    assert.ok(control !== undefined);
    assert.equal(
      await flood(control, bob, 30),
      0,
      "one of whom as much waits and whom bob does not know",
    );

    const stranger = await service.register("stranger");
    const first = "x".repeat(FIRST_BOX_MAX_BYTES);
    const large = await leave(stranger, bob, LARGE);
    assert.equal(large.status, 201, "its share of the bytes is not used");
    service.pass(2);
    await checkCounts(service);
    await readSome(service, bob, "from=stranger");
    assert.equal((await leave(stranger, bob, first)).status, 201);

    await leave(bob, control);
    assert.equal(await flood(control, bob, 5), 5, "bob asks, and is answered");
    assert.ok((await readAll(service, bob)) > STRANGERS_UNREAD_BOXES_MAX);
    assert.equal(await flood(stranger, bob, 30), 30, "there is room again");
    await checkCounts(service);
  },
);

eachEngine(
  "strangers' bytes are bounded, and a first box of 8 KiB is always taken",
  async (service) => {
    const bob = await service.register("bob");
    const flooders = await many(service, 8);
    let taken = 0;
    for (const flooder of flooders) taken += await flood(flooder, bob, 40, LARGE);
    const bytes = taken * LARGE.length;
    assert.ok(bytes >= STRANGERS_UNREAD_MAX_BYTES && bytes <= SHARES_UNREAD_MAX_BYTES, `${bytes}`);
    const late = await many(service, 250);
    const small = "x".repeat(FIRST_BOX_MAX_BYTES);
    const firsts = await Promise.all(late.map((each) => leave(each, bob, small)));
    assert.ok(firsts.every(({ status }) => status === 201));
    const [one] = late;
    assert.ok(one !== undefined);
    service.pass(2);
    assert.equal((await leave(one, bob, LARGE)).status, 409, "a second and large one is not");
    const newcomer = await service.register();
    assert.equal((await leave(newcomer, bob, LARGE)).status, 409, "nor a large first one");
    assert.equal(await flood(newcomer, bob, 9, small), 3, "1,000 boxes shared by 259");
    await checkCounts(service);
  },
);

eachEngine("from reads one sender's", async (service) => {
  const [ada, bob, eve] = [
    await service.register("ada"),
    await service.register("bob"),
    await service.register("eve"),
  ];
  for (let i = 0; i < 3; i++) {
    await leave(ada, bob, `a${i}`);
    await leave(eve, bob, `e${i}`);
  }
  const boxes = ({ body }: { body: { messages: { box: string }[] } }) =>
    body.messages.map(({ box }) => box);
  const page = await bob.get("/dm?from=eve&limit=2");
  assert.deepEqual([boxes(page), page.body.more, page.body.unread_left], [["e0", "e1"], true, 1]);
  assert.deepEqual(boxes(await bob.get(`/dm?from=${eve.agent_id}&after_id=0`)), ["e0", "e1", "e2"]);
  assert.deepEqual(boxes(await bob.get("/dm?from=eve")), ["e2"]);
  assert.deepEqual(boxes(await readSome(service, bob, "")), ["a0", "a1", "a2"]);
  assert.deepEqual(boxes(await eve.get("/dm?from=ada&after_id=0")), [], "of its own inbox");
  assert.equal((await bob.get("/dm?from=nobody")).status, 404);
  assert.equal((await bob.get("/dm?from=no%20name")).status, 422);
  await checkCounts(service);
});

test("one sender's unread boxes are sought among what is unread, its others by the pair", async () => {
  const service = await openTestService("sqlite", "plans");
  try {
    const { read } = service.service.context;
    const page = { recipient: 1, sender: 2, limit: 20, max_bytes: 1 };
    const plan = (ask: Parameters<typeof planOf>[1]) => planOf(read, ask);
    assert.match(await plan((db) => sql.messagesFor.all(db, page)), /message_unread/);
    const after = { ...page, after_id: 0 };
    assert.match(
      await plan((db) => sql.messagesFor.all(db, after)),
      /message_by_pair \(recipient=\? AND sender=\? AND id>\?/,
    );
    const pair = { recipient: 1, sender: 2 };
    assert.doesNotMatch(await plan((db) => sql.pairOf.first(db, pair)), /SCAN/);
    const strangers = { recipient: 1, limit: 1_000 };
    const scans = (await plan((db) => sql.strangersUnread.first(db, strangers))).match(/SCAN \w+/g);
    assert.deepEqual(scans, ["SCAN s"]);
  } finally {
    await service.close();
  }
});
