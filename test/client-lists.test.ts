import assert from "node:assert/strict";
import { test } from "node:test";
import { CairnError, connect, iterate } from "../src/client/index.ts";
import { eachEngine } from "./service.ts";

/** A network that answers with these bodies in turn, the last one for ever. */
function answering(...bodies: readonly (object | Error)[]) {
  const asked: string[] = [];
  const fetch: typeof globalThis.fetch = async (url) => {
    asked.push(new URL(String(url)).search);
    const body = bodies[Math.min(asked.length, bodies.length) - 1];
    if (body instanceof Error) throw body;
    return Response.json({ ok: true, ...body });
  };
  return { network: connect({ baseUrl: "http://network.test", fetch }), asked };
}

const codeOf = (code: string) => (error: unknown) =>
  error instanceof CairnError && error.code === code;

eachEngine("iterate shows every item of a list once, and ends", async (service) => {
  const ada = await service.register("ada");
  for (let n = 0; n < 7; n++) await ada.post("/post", { body: `Post ${n}`, topic: "meta" });
  const network = connect({ baseUrl: service.url });
  const bodies: string[] = [];
  for await (const post of iterate(network.feed.list, { topic: "meta", limit: 3 }))
    bodies.push(String(post.body));
  assert.deepEqual(
    bodies,
    [6, 5, 4, 3, 2, 1, 0].map((n) => `Post ${n}`),
  );
  const { repo } = (await ada.post("/repo", { name: "Bridges", mission: "Carry." })).body;
  const members = [];
  for await (const member of iterate(network.repo.membersList, { id: repo.id }))
    members.push(member);
  assert.equal(members.length, 1);
});

eachEngine("iterate goes on by cursors from where it is told to begin", async (service) => {
  const [ada, bob] = [await service.register("ada"), await service.register("bob")];
  const ids: number[] = [];
  for (let n = 0; n < 5; n++)
    ids.push((await bob.post("/dm", { to: ada.agent_id, box: `Ym94${n}` })).body.id);
  const network = connect({ baseUrl: service.url, token: ada.token });
  const walked = async (which: { after_id?: number }) => {
    const met: number[] = [];
    for await (const { id } of iterate(network.dm.list, { ...which, limit: 2 }))
      met.push(Number(id));
    return met;
  };
  assert.deepEqual(await walked({ after_id: ids[0] ?? 0 }), ids.slice(1));
  assert.deepEqual(
    (await ada.get("/dm?limit=1&after_id=0")).body.unread_left,
    4,
    "nothing is marked",
  );
  assert.deepEqual(await walked({}), ids, "what is unread");
  assert.deepEqual(await walked({}), [], "and is read now");
  const both = await ada.get("/dm?after_id=0&cursor=b.0.1");
  assert.deepEqual([both.status, both.body.details[0].field], [422, "cursor"]);
});

test("a cursor that comes again ends a list, and so does an abort", async () => {
  const page = { posts: [{ id: 1 }], more: true, next: "c1" };
  const { network, asked } = answering(page);
  const items = iterate(network.feed.list);
  await items.next();
  await items.next();
  await assert.rejects(items.next(), codeOf("unexpected_answer"));
  assert.equal(asked.length, 2);
  const reason = new Error("enough");
  const signal = AbortSignal.abort(reason);
  await assert.rejects(iterate(network.feed.list, {}, { signal }).next(), reason);
});

const pagesWith = (...cursors: readonly unknown[]) =>
  cursors.map((next) => ({ posts: [{ id: 1 }], more: true, next }));

test("a list of pages that name each other ends, and so does one without a page", async () => {
  const circles = [["A"], ["A", "B"], ["A", "B", "C", "D", "E"]].map((circle) =>
    Array.from({ length: 100 }, (_, n) => circle[n % circle.length]),
  );
  for (const cursors of [...circles, [7], [{ a: 1 }], [["x"]], [true], [""], ["x".repeat(9_000)]]) {
    const { network, asked } = answering(...pagesWith(...cursors));
    const all = async () => {
      for await (const _ of iterate(network.feed.list)) void _;
    };
    await assert.rejects(all, codeOf("unexpected_answer"));
    assert.ok(asked.length < 20, `${asked.length} pages of ${String(cursors[1])}`);
  }
  const pages = Array.from({ length: 2_000 }, (_, n) => ({ posts: [], more: true, next: `c${n}` }));
  const { network, asked } = answering(...pages);
  await assert.rejects(iterate(network.feed.list).next(), codeOf("unexpected_answer"));
  assert.equal(asked.length, 1_000);
});

test("an inbox and changes that have no shape, or go back, are refused", async () => {
  const item = { ledger_id: 9, why: "reply" };
  const page = { items: [item], after_id: 9, after_message_id: 3, unread_messages: 1, epoch: 1 };
  for (const wrong of [
    { items: null },
    { items: ["x"] },
    { after_id: "9" },
    { after_message_id: 0.5 },
    { unread_messages: null },
    { epoch: "1" },
    { after_id: 2 ** 53 },
  ]) {
    const first = answering({ ...page, ...wrong }).network.inbox({ after_id: 1 });
    await assert.rejects(first.next(), codeOf("unexpected_answer"), JSON.stringify(wrong));
  }
  for (const back of [{ after_id: 8 }, { after_message_id: 2 }]) {
    const items = answering(page, { ...page, ...back }).network.inbox({ after_id: 1 });
    assert.deepEqual((await items.next()).value, item);
    await assert.rejects(items.next(), codeOf("unexpected_answer"), JSON.stringify(back));
  }
  const changes = { entries: [{ id: 1 }], count: 1, after_id: 1, epoch: 1 };
  for (const wrong of [
    { entries: null },
    { entries: [null] },
    { entries: [{ id: "1" }] },
    { after_id: 0 },
    { after_id: null },
    { epoch: {} },
  ]) {
    const first = answering({ ...changes, ...wrong }).network.follow();
    await assert.rejects(first.next(), codeOf("unexpected_answer"), JSON.stringify(wrong));
  }
});

test("follow ends where the network leaves an entry out or shows one twice", async () => {
  const pageOf = (...ids: readonly number[]) => ({
    entries: ids.map((id) => ({ id, kind: "post", ref: "1", at: 1, body: {}, text: {} })),
    count: ids.length,
    after_id: ids.at(-1),
  });
  for (const [pages, kinds] of [
    [[pageOf(1, 3)]],
    [[pageOf(1), pageOf(1)]],
    [[pageOf(1), pageOf(3)]],
    [[pageOf(2, 1)], ["post"]],
  ] as const) {
    const { network } = answering(...pages);
    const all = async () => {
      for await (const _ of network.follow(kinds === undefined ? {} : { kinds })) void _;
    };
    await assert.rejects(all, codeOf("unexpected_answer"));
  }
});

test("a read is tried again when nobody answers; one that marks messages as read is not", async () => {
  const refused = new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } });
  const { network, asked } = answering(refused, { posts: [] });
  await network.feed.list();
  assert.equal(asked.length, 2);
  const away = answering(refused);
  await assert.rejects(away.network.dm.list(), {
    code: "unreachable",
    message: "The network cannot be reached: ECONNREFUSED.",
  });
  assert.equal(away.asked.length, 1);
  await assert.rejects(away.network.dm.list({ after_id: 0 }), codeOf("unreachable"));
  assert.equal(away.asked.length, 4);
});

test("an answer of more than 4 MiB is not read to its end", async () => {
  let pulled = 0;
  const body = new ReadableStream({
    pull(controller) {
      pulled++;
      controller.enqueue(new Uint8Array(1024 * 1024));
    },
  });
  const fetch = async () => new Response(body);
  const network = connect({ baseUrl: "http://network.test", fetch });
  await assert.rejects(network.feed.list(), codeOf("answer_too_large"));
  assert.ok(pulled < 8, `${pulled} MiB`);
});

test("a program names itself, and may take another name", async () => {
  const named: (string | null)[] = [];
  const fetch: typeof globalThis.fetch = async (_, init) => {
    named.push(new Headers(init?.headers).get("user-agent"));
    return Response.json({ ok: true, posts: [] });
  };
  await connect({ baseUrl: "http://network.test", fetch }).feed.list();
  await connect({ baseUrl: "http://network.test", fetch, userAgent: "ada/1" }).feed.list();
  assert.match(String(named[0]), /^cairn-client\/\d+\.\d+\.\d+$/);
  assert.equal(named[1], "ada/1");
});
