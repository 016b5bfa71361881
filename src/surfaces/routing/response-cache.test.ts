import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, BASE, open } from "../../../test/ask.ts";
import { rawSocket } from "../../../test/raw-socket.ts";
import { ANSWERS_MAX, ANSWERS_MAX_BYTES, encode, publicCache } from "./response-cache.ts";

test("If-None-Match is answered 304 in each of its forms", async (t) => {
  const tiny = await open(t);
  const etag = (await ask(tiny, `${BASE}/about`)).headers.get("etag") ?? "";
  const status = async (tag: string) =>
    (await ask(tiny, `${BASE}/about`, { headers: { "if-none-match": tag } })).status;
  for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, "*"])
    assert.equal(await status(tag), 304, tag);
  for (const tag of ['"other"', etag.slice(1, -1), ""]) assert.equal(await status(tag), 200, tag);
});

test("an unchanged body keeps its tag through generations", async (t) => {
  const tiny = await open(t);
  const first = await ask(tiny, `${BASE}/about`);
  tiny.change();
  const second = await ask(tiny, `${BASE}/about`);
  assert.equal(first.headers.get("etag"), second.headers.get("etag"));
  assert.equal(tiny.calls.length, 2);
});

test("many askers of one public read share one call", async (t) => {
  const tiny = await open(t);
  tiny.gate.shut();
  const asking = Array.from({ length: 8 }, () => ask(tiny, `${BASE}/items?tag=a`));
  const other = await rawSocket(tiny.port);
  other.send(`GET ${BASE}/nowhere HTTP/1.1\r\nHost: a\r\n\r\n`);
  await other.answers(1);
  other.destroy();
  tiny.gate.open();
  const ids = (await Promise.all(asking)).map(({ headers }) => headers.get("x-request-id"));
  assert.equal(new Set(ids).size, 8);
  await ask(tiny, `${BASE}/items?tag=b`);
  assert.equal(tiny.calls.length, 2);
});

test("a refusal is not kept", async (t) => {
  const tiny = await open(t);
  const [a, b] = [await ask(tiny, `${BASE}/item/none`), await ask(tiny, `${BASE}/item/none`)];
  assert.equal(a.body.error, "post_not_found");
  assert.notEqual(a.body.request_id, b.body.request_id);
  assert.equal(tiny.calls.length, 2);
});

test("an answer is kept once it was asked for twice, in this generation or before", async () => {
  let generation = 1;
  const cache = publicCache({ generation: () => generation, second: () => 0 });
  const put = () => cache.set("/a", Promise.resolve(encode("", [], [])));
  assert.equal(cache.find("/a"), undefined);
  await put();
  assert.equal(cache.find("/a"), undefined);
  await put();
  assert.ok(cache.find("/a"));
  generation = 2;
  assert.equal(cache.find("/a"), undefined);
  await put();
  assert.ok(cache.find("/a"));
});

test("an answer ends with its second, a timeless one with the data", async () => {
  let [generation, second] = [1, 1];
  const cache = publicCache({ generation: () => generation, second: () => second });
  const put = async (url: string, isTimeless: boolean) => {
    for (let times = 0; times < 2; times++) {
      assert.equal(cache.find(url), undefined);
      await cache.set(url, Promise.resolve(encode(url, [], [])), isTimeless);
    }
  };
  await put("/timed", false);
  await put("/timeless", true);
  assert.ok(cache.find("/timed"));
  second = 2;
  assert.equal(cache.find("/timed"), undefined);
  assert.ok(cache.find("/timeless"));
  generation = 2;
  assert.equal(cache.find("/timeless"), undefined);
});

test("an answer that is kept is bytes, one that is not is a text", async () => {
  const cache = publicCache({ generation: () => 1, second: () => 0 });
  const ask = () => cache.find("/a") ?? cache.set("/a", Promise.resolve(encode("é", [], [])));
  assert.equal((await ask()).body, "é");
  assert.equal((await ask()).body, "é");
  assert.deepEqual((await ask()).body, Buffer.from("é"));
});

test("an answer that ended with its second makes room", async () => {
  let second = 1;
  const cache = publicCache({ generation: () => 1, second: () => second });
  const large = "x".repeat(ANSWERS_MAX_BYTES / 2);
  const put = (url: string) => cache.set(url, Promise.resolve(encode(large, [], [])));
  await put("/first");
  for (; second < 5; second++) {
    assert.equal(cache.find("/first"), undefined);
    await put("/first");
    assert.ok(cache.find("/first"));
  }
  await put("/other");
  await put("/other");
  second--;
  assert.ok(cache.find("/first"));
});

test("the cache is dropped whole when it is full, by number or by size", async () => {
  const cache = publicCache({ generation: () => 1, second: () => 0 });
  const put = async (url: string, text: string) => {
    for (let times = 0; times < 2; times++) {
      assert.equal(cache.find(url), undefined);
      await cache.set(url, Promise.resolve(encode(text, [], [])));
    }
  };
  for (let i = 0; i < ANSWERS_MAX; i++) await put(`/${i}`, "");
  assert.ok(cache.find("/0"));
  await put("/one-more", "");
  assert.equal(cache.find("/0"), undefined);

  const large = "x".repeat(ANSWERS_MAX_BYTES / 2 + 1);
  await put("/large", large);
  await put("/larger", large);
  assert.ok(cache.find("/one-more"));
  await put("/last", "");
  assert.equal(cache.find("/large"), undefined);
  assert.ok(cache.find("/last"));
});

test("work of an earlier generation does not enter the next", async () => {
  let generation = 1;
  const cache = publicCache({ generation: () => generation, second: () => 0 });
  const work = Promise.withResolvers<ReturnType<typeof encode>>();
  assert.equal(cache.find("/a"), undefined);
  const kept = cache.set("/a", work.promise);
  generation = 2;
  assert.equal(cache.find("/a"), undefined);
  work.resolve(encode("old", [], []));
  assert.equal(String((await kept).body), "old");
  assert.equal(cache.find("/a"), undefined);
});
