import assert from "node:assert/strict";
import { eachEngine, type TestAgent, type TestService } from "../../../test/service.ts";
import { STREAMS_PER_AGENT } from "./slots.ts";

interface Heard {
  readonly id: number;
  readonly event: string;
  readonly data: {
    readonly id?: number;
    readonly after_id?: number;
    readonly text?: Readonly<Record<string, string>>;
  };
}

const heardIn = (text: string): Heard => {
  const fields = Object.fromEntries(
    text
      .split("\n")
      .map((line) => [line.slice(0, line.indexOf(": ")), line.slice(line.indexOf(": ") + 2)]),
  );
  return {
    id: Number(fields["id"]),
    event: fields["event"] ?? "",
    data: JSON.parse(fields["data"] ?? "{}"),
  };
};

interface Asked {
  readonly path: string;
  readonly token?: string;
  readonly last_id?: number;
  /** The connection is cut after so many bytes. */
  readonly cut_bytes?: number;
}

function ask(service: TestService, { path, token, last_id }: Asked, signal: AbortSignal) {
  const headers = {
    accept: "text/event-stream",
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(last_id !== undefined && { "last-event-id": String(last_id) }),
  };
  return fetch(`${service.url}/api/v1${path}`, { headers, signal });
}

/** Hears whole events until `isOver`, or until the connection was cut. */
async function listen(service: TestService, asked: Asked, isOver: (heard: Heard) => boolean) {
  const cut = new AbortController();
  const response = await ask(service, asked, cut.signal);
  assert.equal(response.headers.get("content-type"), "text/event-stream; charset=utf-8");
  const heard: Heard[] = [];
  let text = "";
  let left = asked.cut_bytes ?? Number.POSITIVE_INFINITY;
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) {
    const kept = bytes.subarray(0, left);
    left -= kept.length;
    text += decoder.decode(kept, { stream: true });
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      if (block.startsWith("retry: ")) continue;
      const one = heardIn(block);
      heard.push(one);
      if (isOver(one)) left = 0;
    }
    if (left <= 0) break;
  }
  cut.abort();
  return heard;
}

/** The last post of a test, by which its readers know that they are done. */
const END = "the end";
const isEnd = ({ data }: Heard): boolean => data.text?.["body"] === END;

/** Reads a stream from its beginning, through cuts at random bytes, until it hears the end. */
async function throughCuts(service: TestService, asked: Asked) {
  const ids: number[] = [];
  let last_id = 0;
  for (let cuts = 0; ; cuts++) {
    const cut_bytes = 200 + Math.floor(Math.random() * 3_000);
    const all = await listen(service, { ...asked, last_id, cut_bytes }, isEnd);
    for (const { event, id, data } of all) {
      if (event !== "position") ids.push(id);
      assert.equal(data.id ?? data.after_id, id);
      last_id = id;
    }
    if (all.some(isEnd)) return { ids, cuts };
  }
}

async function idsOf(
  reader: Pick<TestAgent, "get">,
  path: string,
  list: string,
): Promise<number[]> {
  const ids: number[] = [];
  for (let after_id = 0, more = true; more; ) {
    const { body } = await reader.get(`${path}after_id=${after_id}&limit=100`);
    for (const { id } of body[list]) ids.push(id);
    ({ after_id, more } = body);
  }
  return ids;
}

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
  assert.equal(await statusOf("/since", { "last-event-id": "999999" }), 200);
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
