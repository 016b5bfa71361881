import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import fc from "fast-check";
import { readLedger } from "../../../test/invariants.ts";
import { eventually } from "../../../test/postgres-store.ts";
import { eachEngine, type TestAgent } from "../../../test/service.ts";
import { statement } from "../../../test/statement.ts";
import { findAgent } from "../identity/agents.ts";
import { insertMessage } from "./queries.ts";
import { BOX_MAX_BYTES } from "./rules.ts";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

interface Message {
  readonly id: number;
  readonly box: string;
}

const boxesIn = ({ body }: { body: { messages: Message[] } }) =>
  body.messages.map(({ box }) => box);

async function send(
  from: TestAgent,
  to: TestAgent,
  ...boxes: readonly string[]
): Promise<number[]> {
  const ids: number[] = [];
  for (const box of boxes) ids.push((await from.post("/dm", { to: to.agent_id, box })).body.id);
  return ids;
}

eachEngine("a message is answered to both ends as it is stored", async (service) => {
  const [ada, bob] = [await service.register("ada"), await service.register("bob")];
  const box = "hpke1.AAAA";
  const { status, body } = await ada.post("/dm", {
    to: "bob",
    box,
    client_ref: "mine",
    read_at: 1,
  });
  assert.equal(status, 201);
  const sealed = {
    id: body.id,
    box_bytes: 10,
    box_sha256: sha256(box),
    created_at: body.message.created_at,
    verified: false,
  };
  const to = { agent_id: bob.agent_id, handle: "bob" };
  assert.deepEqual(body.message, { ...sealed, to, client_ref: "mine" });
  const from = { agent_id: ada.agent_id, handle: "ada" };
  assert.deepEqual((await bob.get("/dm")).body, {
    ok: true,
    messages: [{ ...sealed, from, box }],
    count: 1,
    more: false,
    next: null,
    unread_left: 0,
  });
});

eachEngine("any text comes back byte for byte", async (service) => {
  const [ada, bob] = [await service.register(), await service.register()];
  const texts = [
    "\u0000",
    "\u0000".repeat(BOX_MAX_BYTES),
    "\ufeffwith a mark",
    " \r\n\t ",
    "é\u0301 ﬁ 石 🪨 \u202e\u2028\u007f\u009f\ufffd\uffff",
    "x".repeat(BOX_MAX_BYTES),
    "🪨".repeat(BOX_MAX_BYTES / 4),
    "__proto__",
    "{}",
    ...fc.sample(
      fc.string({ unit: "binary", minLength: 1 }).filter((text) => text.isWellFormed()),
      { numRuns: 50, seed: 7 },
    ),
  ];
  await send(ada, bob, ...texts);
  const { body } = await bob.get("/dm?limit=100");
  assert.deepEqual(boxesIn({ body }), texts);
  for (const { box, box_bytes, box_sha256 } of body.messages)
    assert.deepEqual([box_bytes, box_sha256], [Buffer.byteLength(box), sha256(box)]);
});

eachEngine("a text that is no box, or goes to nobody, is refused", async (service) => {
  const [ada, bob] = [await service.register(), await service.register("bob")];
  for (const box of [
    "",
    "x".repeat(BOX_MAX_BYTES + 1),
    "🪨".repeat(16_385),
    "\ud800",
    5,
    null,
    ["x"],
  ])
    assert.equal((await ada.post("/dm", { to: "bob", box })).status, 422);
  assert.equal((await ada.post("/dm", { to: "bob", box: "\u0000".repeat(90_000) })).status, 413);
  assert.equal((await ada.post("/dm", { to: "not a name", box: "x" })).status, 422);
  const unknown = await ada.post("/dm", { to: "nobody", box: "x" });
  assert.deepEqual([unknown.status, unknown.body.error], [404, "agent_not_found"]);
  const leak = await ada.post("/dm", { to: "bob", box: `take ${bob.token}` });
  assert.equal(leak.body.error, "token_in_body");
  const ban = statement("update agent set banned_at = 1, ban_reason = 'x' where handle = 'bob'");
  await service.service.context.write((tx) => tx.run(ban, []));
  const banned = await ada.post("/dm", { to: "bob", box: "x" });
  assert.deepEqual([banned.status, banned.body.error], [409, "recipient_banned"]);
  const pardon = statement("update agent set banned_at = null where handle = 'bob'");
  await service.service.context.write((tx) => tx.run(pardon, []));
  assert.deepEqual((await bob.get("/dm")).body.messages, []);
});

eachEngine("the network's own agent has no token, so it is sent nothing", async (service) => {
  const ada = await service.register("ada");
  await service.get("/quorum"); // It asks the question of the week.
  const { status, body } = await ada.post("/dm", { to: "operator", box: "hpke1.AAAA" });
  assert.deepEqual([status, body.error], [409, "recipient_banned"]);
  assert.match(body.message, /has no token and could never read the message/);
});

eachEngine("only the recipient reads a message, and nothing of it is public", async (service) => {
  const [ada, bob, eve] = [
    await service.register(),
    await service.register(),
    await service.register(),
  ];
  const [id] = await send(ada, bob, "a box for one");
  for (const stranger of [ada, eve])
    for (const query of ["", "?after_id=0", `?to=${bob.agent_id}&recipient=2&agent=2&after_id=0`]) {
      const { body } = await stranger.get(`/dm${query}`);
      assert.deepEqual([body.messages, body.unread_left], [[], 0]);
    }
  assert.equal((await service.get("/dm")).status, 401);
  assert.equal((await service.post("/dm", { to: bob.agent_id, box: "x" })).status, 401);
  await service.sequenced();
  const ledger = await readLedger(service);
  assert.deepEqual(new Set(ledger.map(({ kind }) => kind)), new Set(["genesis", "agent"]));
  const { body } = await bob.get("/dm");
  assert.deepEqual([body.messages[0].id, body.messages[0].from.agent_id], [id, ada.agent_id]);
  await send(bob, bob, "a note to myself");
  assert.deepEqual(boxesIn(await bob.get("/dm")), ["a note to myself"]);
});

eachEngine(
  "unread ones come oldest first, once; after_id reads again and marks nothing",
  async (service) => {
    const [ada, bob] = [await service.register(), await service.register()];
    const boxes = Array.from({ length: 25 }, (_, i) => `box ${i}`);
    const ids = await send(ada, bob, ...boxes);
    const again = await bob.get(`/dm?after_id=${ids[20]}`);
    assert.deepEqual(boxesIn(again), boxes.slice(21));
    assert.equal(again.body.unread_left, 21, "those before it are still unread");
    const head = await fetch(`${service.url}/api/v1/dm`, {
      method: "HEAD",
      headers: { authorization: `Bearer ${bob.token}` },
    });
    assert.equal(head.status, 200, "and a HEAD shows nothing");

    const pages: [string[], number][] = [];
    for (const query of ["?limit=3", "", "", ""]) {
      const page = await bob.get(`/dm${query}`);
      pages.push([boxesIn(page), page.body.unread_left]);
    }
    assert.deepEqual(pages, [
      [boxes.slice(0, 3), 22],
      [boxes.slice(3, 23), 2],
      [boxes.slice(23), 0],
      [[], 0],
    ]);
    assert.deepEqual(boxesIn(await bob.get("/dm?after_id=0&limit=100")), boxes);
    assert.deepEqual((await bob.get(`/dm?after_id=${ids.at(-1)}`)).body.messages, []);
    for (const query of ["?limit=0", "?limit=101", "?after_id=-1", "?after_id=x"])
      assert.equal((await bob.get(`/dm${query}`)).status, 422, query);
  },
);

eachEngine("a reader gets every message once while others write", async (service) => {
  const [bob, ...senders] = await Promise.all(Array.from({ length: 5 }, () => service.register()));
  assert(bob !== undefined);
  const each = Array.from({ length: 20 }, (_, i) => `box ${i}`);
  const sending = Promise.all(senders.map((sender) => send(sender, bob, ...each)));
  const read: string[] = [];
  let areSent = false;
  void sending.then(() => {
    areSent = true;
  });
  for (let isEmpty = false; !isEmpty; ) {
    const isLast = areSent;
    const boxes = boxesIn(await bob.get("/dm?limit=7"));
    read.push(...boxes);
    isEmpty = isLast && boxes.length === 0;
  }
  await sending;
  assert.deepEqual(read.sort(), senders.flatMap(() => each).sort());
  assert.deepEqual(boxesIn(await bob.get("/dm")), []);
});

eachEngine("an answer that is lost on the way loses no message", async (service) => {
  const [ada, bob] = [await service.register(), await service.register()];
  // Escaped, they are far more than a connection takes before somebody reads from it.
  const boxes = Array.from({ length: 20 }, (_, i) => String(i).padEnd(BOX_MAX_BYTES, "\u0000"));
  await send(ada, bob, ...boxes);
  const { port } = new URL(service.url);
  const request = `GET /api/v1/dm?limit=100 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${bob.token}\r\n\r\n`;
  async function ask(): Promise<ReturnType<typeof connect>> {
    const socket = connect({ port: Number(port), host: "127.0.0.1" }).pause();
    await once(socket, "connect");
    socket.on("error", () => {}).write(request);
    return socket;
  }
  const unread = async () => {
    const { body } = await bob.get("/dm?after_id=0&limit=1");
    return body.unread_left + 1;
  };
  (await ask()).destroy();
  const stuck = await ask();
  await wait(300);
  assert.equal(await unread(), boxes.length, "while nobody reads the answer");
  stuck.destroy();
  const cut = await ask();
  cut.resume();
  await once(cut, "data");
  cut.destroy();
  await wait(100);
  assert.equal(await unread(), boxes.length, "when the connection breaks before its end");

  const whole = await ask();
  let received = 0;
  whole.on("data", (chunk) => (received += chunk.length)).resume();
  await eventually(async () => (await unread()) <= 1);
  assert.ok(received > boxes.length * BOX_MAX_BYTES);
  whole.destroy();
  assert.deepEqual(boxesIn(await bob.get("/dm")), [], "an answer that arrived is the last one");
  assert.deepEqual(boxesIn(await bob.get("/dm?after_id=0&limit=100")), boxes);
});

eachEngine("an answer has a size, and says that there is more", async (service) => {
  const [ada, bob] = [await service.register(), await service.register()];
  const boxes = Array.from({ length: 23 }, (_, i) => String(i).padEnd(BOX_MAX_BYTES, "."));
  await send(ada, bob, ...boxes);
  const all = (await bob.get("/dm?after_id=0&limit=100")).body;
  assert.deepEqual([all.count, all.more], [20, true]);
  const rest = (await bob.get(`/dm?after_id=${all.messages.at(-1).id}&limit=100`)).body;
  assert.deepEqual([rest.count, rest.more], [3, false]);
  const few = (await bob.get("/dm?limit=3")).body;
  assert.deepEqual([few.count, few.more, few.unread_left], [3, true, 20]);
  const next = (await bob.get("/dm?limit=100")).body;
  assert.deepEqual([next.count, next.more, next.unread_left], [20, false, 0]);
  assert.deepEqual(boxesIn({ body: next }), boxes.slice(3));
  assert.deepEqual((await bob.get("/dm")).body.more, false, "and of nothing there is no more");
});

eachEngine("a message that cannot be marked is unread again", async (service) => {
  const [ada, bob] = [await service.register(), await service.register()];
  await send(ada, bob, "a box");
  const refuse = {
    sqlite: `create trigger no_marks before update on message begin select raise(abort, 'no'); end`,
    postgres: "alter table message add constraint no_marks check (read_at is null)",
  };
  const allow = {
    sqlite: "drop trigger no_marks",
    postgres: "alter table message drop constraint no_marks",
  };
  const { write } = service.service.context;
  await write((tx) => tx.run(statement(refuse[service.engine]), []));
  for (let i = 0; i < 3; i++) assert.deepEqual(boxesIn(await bob.get("/dm")), ["a box"]);
  await bob.get("/dm?after_id=0"); // Waits for the last attempt.
  assert.equal(service.alarms.splice(0).length, 3, "the operator hears of it");
  await write((tx) => tx.run(statement(allow[service.engine]), []));
  assert.deepEqual(boxesIn(await bob.get("/dm")), ["a box"]);
  assert.deepEqual(boxesIn(await bob.get("/dm")), []);
});

eachEngine("a mailbox is counted to a thousand", async (service) => {
  const bob = await service.register();
  const { context } = service.service;
  const { id } = await findAgent(context, bob.agent_id);
  const message = {
    sender: id,
    recipient: id,
    box: Buffer.from("x"),
    box_sha256: Buffer.alloc(32),
    client_ref: null,
    created_at: 1,
  };
  await context.write(async (tx) => {
    for (let i = 0; i < 1_025; i++) await insertMessage.run(tx, message);
  });
  for (const [limit, left] of [
    [10, 1_000],
    [20, 995],
  ])
    assert.equal((await bob.get(`/dm?limit=${limit}`)).body.unread_left, left);
});

eachEngine("a box that is not sealed is told apart, and no text becomes one", async (service) => {
  const [ada, bob] = [await service.register("ada"), await service.register("bob")];
  const sent = async (fields: object) => (await ada.post("/dm", { to: "bob", ...fields })).body;
  assert.equal((await sent({ box: "hpke1.AAAA" })).hints, undefined);
  const plain = await sent({ box: "Meet me at noon." });
  assert.equal(plain.ok, true, "any text is a box");
  assert.match(plain.hints[0].problem, /^is no hpke1 box, and is stored as it came: the operator/);
  const tried = await sent({ box: "Meet me at noon.", dry_run: true });
  assert.equal(tried.hints[0].field, "box", "a trial says it, too");
  for (const name of ["body", "text", "message", "content"]) {
    const { error, details, message } = await sent({ [name]: "Meet me at noon." });
    assert.deepEqual(
      [error, details.map(({ field }: { field: string }) => field)],
      ["validation_failed", ["box"]],
    );
    for (const word of [/seals nothing/, /The file \/messages\.mjs/, /`cairn mcp` has dm_write/])
      assert.match(message, word, name);
    const beside = await sent({ box: "hpke1.AAAA", [name]: "Meet me at noon." });
    assert.doesNotMatch(beside.hints[0].problem, /did you mean box/, name);
  }
  assert.equal((await bob.get("/dm?after_id=0")).body.count, 6);
});
