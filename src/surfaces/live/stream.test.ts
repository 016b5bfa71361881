import assert from "node:assert/strict";
import { ask, END, type Heard, idsOf, listen, throughCuts } from "../../../test/events.ts";
import { eachEngine } from "../../../test/service.ts";
import { STREAMS_PER_AGENT } from "./slots.ts";

eachEngine(
  "streams that are cut at random bytes miss nothing and repeat nothing",
  async (service) => {
    const ada = await service.register("ada");
    const { body: question } = await ada.post("/post", { body: "Who knows a prime?" });
    const writers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => service.register(`w${i}x`)),
    );
    const reading = [
      throughCuts(service, { path: "/since?after_id=0" }),
      throughCuts(service, { path: "/since?after_id=0&kinds=post" }),
      throughCuts(service, { path: "/inbox?after_id=0", token: ada.token }),
    ];
    await Promise.all(
      writers.map(async (writer) => {
        for (let n = 0; n < 20; n++) {
          await writer.post("/post", {
            body: `${n}`,
            ...(n % 2 === 0 && { reply_to: question.id }),
          });
        }
      }),
    );
    await writers[0]?.post("/post", { body: END, reply_to: question.id });
    const [all, posts, items] = await Promise.all(reading);
    assert.deepEqual(all?.ids, await idsOf(service, "/since?", "entries"));
    assert.deepEqual(posts?.ids, await idsOf(service, "/since?kinds=post&", "entries"));
    assert.deepEqual(items?.ids, await idsOf(ada, "/inbox?", "items"));
    assert.equal(items?.ids.length, 81);
    assert.ok(all !== undefined && all.cuts > 4, "it was cut");
  },
);

eachEngine("clients of streams come back at moments of their own", async (service) => {
  const retries = new Set<number>();
  for (let i = 0; i < 8; i++) {
    const over = new AbortController();
    const answer = await ask(service, { path: "/since" }, over.signal);
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    const [, retry_ms] = /^retry: (\d+)\n\n/.exec((await reader?.read())?.value ?? "") ?? [];
    retries.add(Number(retry_ms));
    over.abort();
  }
  assert.ok(
    [...retries].every((each) => each >= 1_000 && each < 5_000),
    `${[...retries]}`,
  );
  assert.ok(retries.size > 1);
});

eachEngine("a fifth stream of an agent is 503 until one of its streams ends", async (service) => {
  const ada = await service.register("ada");
  const over = new AbortController();
  const asked = { path: "/inbox", token: ada.token };
  const open = () => ask(service, asked, over.signal);
  const streams = await Promise.all(Array.from({ length: STREAMS_PER_AGENT }, open));
  assert.deepEqual(
    streams.map(({ status }) => status),
    [200, 200, 200, 200],
  );
  const fifth = await open();
  assert.equal(fifth.status, 503);
  assert.ok(Number(fifth.headers.get("retry-after")) > 0);
  assert.equal((await ada.get("/inbox")).status, 200);
  over.abort();
});

eachEngine("what a stream cannot begin with is refused as JSON", async (service) => {
  const ada = await service.register("ada");
  const { signal } = new AbortController();
  const statusOf = async (path: string, sent: object, token?: string) => {
    const headers = { accept: "text/event-stream", ...sent };
    const own = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const response = await fetch(`${service.url}/api/v1${path}`, {
      headers: { ...headers, ...own },
      signal,
    });
    const { status } = response;
    await response.body?.cancel();
    return status;
  };
  assert.equal(await statusOf("/since", { "last-event-id": "x" }), 422);
  assert.equal(await statusOf("/inbox", { "last-event-id": "1" }), 401);
  assert.equal(await statusOf("/inbox?before_id=3", {}, ada.token), 422);
  assert.equal(await statusOf("/inbox?why=nothing", {}, ada.token), 422);
  assert.equal(await statusOf("/since", { "last-event-id": "999999" }), 409);
  assert.equal(await statusOf("/since", { "last-event-id": "" }), 200, "none");
  const typeFor = async (accept: string) => {
    const ending = new AbortController();
    const path = `${service.url}/api/v1/since?after_id=0`;
    const { headers } = await fetch(path, { headers: { accept }, signal: ending.signal });
    ending.abort();
    return headers.get("content-type");
  };
  for (const accept of [
    "text/event-stream;q=0",
    "x/text/event-stream-foo",
    "text/event-stream;q=0.0, */*",
  ])
    assert.equal(await typeFor(accept), "application/json", accept);
  for (const accept of ["application/json;q=0, text/event-stream", "Text/Event-Stream ; q=0.5"])
    assert.match((await typeFor(accept)) ?? "", /^text\/event-stream/, accept);
  const both = await fetch(`${service.url}/api/v1/since?after_id=0`, {
    headers: { accept: "text/event-stream, application/json" },
  });
  assert.equal(both.headers.get("content-type"), "application/json");
  assert.match(await both.text(), /^\{"ok":true,/);
});

eachEngine(
  "a message, and entries that a filter leaves out, move the position",
  async (service) => {
    const [ada, bob] = [await service.register("ada"), await service.register("bob")];
    const isPast = (id: number) => (heard: Heard) => heard.event === "position" && heard.id >= id;
    const before = (await service.get("/since?after_id=0")).body.after_id;
    const waiting = listen(
      service,
      { path: "/since?kinds=claim", last_id: before },
      isPast(before + 1),
    );
    await bob.post("/post", { body: "Hello." });
    const moved = await waiting;
    assert.deepEqual(
      moved.filter(({ event }) => event !== "position"),
      [],
    );
    const isTold = ({ data }: Heard) => "unread_messages" in data && data.unread_messages === 1;
    const news = listen(service, { path: "/inbox", token: ada.token }, isTold);
    await bob.post("/dm", { to: ada.agent_id, box: "c2VjcmV0" });
    assert.ok((await news).some(isTold));
  },
);
