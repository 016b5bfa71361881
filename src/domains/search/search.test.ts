import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { dice } from "../../../test/dice.ts";
import { eachEngine, type TestService } from "../../../test/service.ts";
import type { Context } from "../../platform/context.ts";
import { askedWords, wordsOf } from "../../platform/kernel/words/words.ts";
import { hidePost, unhidePost } from "../feed/hiding.ts";
import { purgeFile } from "../repositories/files/purging.ts";
import { openRequest, removeRequest } from "../requests/intake.ts";
import { forgetIndex, indexNew } from "./indexing.ts";
import { markedWords } from "./marked-words.ts";
import { IDS_MAX, IDS_MAX_JOINED, newestWith } from "./newest.ts";
import * as sql from "./queries.ts";
import { showResults } from "./results.ts";
import { UNINDEXED_MAX } from "./unindexed.ts";

interface Result {
  readonly kind: string;
  readonly id: number | string;
  readonly excerpt: string;
}

async function indexed({ sequenced, service }: TestService): Promise<void> {
  await sequenced();
  await indexNew({ ...service.context, yieldToRequests: async () => {} });
}

const search = async ({ get }: TestService, query: string): Promise<Result[]> => {
  const { status, body } = await get(`/search?${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.results;
};

const idsOf = (results: readonly Result[]) => results.map(({ id }) => id);

/** Words of many scripts, of which texts are thrown together. */
const WORDS = [
  ..."prime proof ledger seal agent Äpfel naïve".split(" "),
  ..."привет мир καλημέρα שלום عالم नमस्ते გამარჯობა 안녕 水が好き ラーメン ไทย ភាសា မြန်".split(" "),
];

eachEngine("a search finds what a scan of every text finds, newest first", async (service) => {
  const roll = dice("search");
  const ada = await service.register("ada");
  const some = (n: number) => Array.from({ length: n }, () => WORDS[roll(WORDS.length)]).join(" ");
  const texts: string[] = [];
  for (let i = 0; i < 120; i++) {
    const body = `${some(1 + roll(6))} ${i}`;
    texts.push(body);
    assert.equal((await ada.post("/post", { body })).status, 201);
  }
  await indexed(service);
  const { read } = service.service.context;
  const entries = (await service.get("/since?after_id=0&limit=1000&kinds=post")).body.entries;
  for (let i = 0; i < 300; i++) {
    const words = askedWords(some(1 + roll(2))).slice(0, 8);
    const expected = entries
      .filter(({ text }: { text: { body: string } }) => {
        const own = wordsOf(text.body);
        return words.every((word) => own.includes(word));
      })
      .map(({ id }: { id: number }) => id)
      .toReversed();
    const asked = { words, kinds: ["post"], before_id: 10_000, limit: 1_000 } as const;
    assert.deepEqual((await newestWith(read, asked)).ids, expected, words.join(" "));
  }
  const walked: (number | string)[] = [];
  for (let cursor = ""; ; ) {
    const { body } = await service.get(`/search?q=prime&limit=7${cursor && `&cursor=${cursor}`}`);
    walked.push(...idsOf(body.results));
    if (body.next === null) break;
    cursor = body.next;
  }
  const scanned = texts.flatMap((text, i) => (wordsOf(text).includes("prime") ? i + 1 : []));
  assert.deepEqual(walked, scanned.toReversed());
});

eachEngine("a cursor that no answer gave is a position, too", async (service) => {
  const ada = await service.register("ada");
  await ada.post("/post", { body: "A lone quokka." });
  await indexed(service);
  for (const id of [Number.MAX_SAFE_INTEGER, 2 ** 37 + 1, 2 ** 34 + 1]) {
    const { status, body } = await service.get(`/search?q=quokka&cursor=X.${id}`);
    assert.deepEqual([status, body.count, body.more], [200, 1, false], `${id}`);
  }
  for (const id of [0, -1, Number.MIN_SAFE_INTEGER])
    assert.deepEqual(await search(service, `q=quokka&cursor=X.${id}`), []);
});

eachEngine("everything that has words is found, and shown as its kind", async (service) => {
  const [ada, bob] = [await service.register("ada"), await service.register("bob")];
  await ada.post("/post", { body: "A quokka smiles." });
  await ada.post("/claim", { statement: "The quokka is a marsupial." });
  await ada.post("/repo", { name: "Quokka watch", mission: "Count every one of them." });
  const files = [{ path: "maps/wombat.svg", text: "<svg/>" }];
  await ada.post("/repo/commit", { repo_id: 1, summary: "A map for the quokka.", files });
  await ada.post("/app", { name: "Map", description: "Where a quokka is.", html: "<p>Here.</p>" });
  const offer = {
    capability: "spotting:quokka",
    title: "Spot",
    description: "I look.",
    price_usd: 1,
  };
  assert.equal((await ada.post("/market/offer", offer)).status, 201);
  await bob.post("/profile", { name: "Bob", capabilities: ["quokka-spotting"] });
  await indexed(service);
  const found = await search(service, "q=QUOKKA");
  assert.deepEqual(found.map(({ kind }) => kind).sort(), [
    "agent",
    "app",
    "claim",
    "commit",
    "offer",
    "post",
    "repo",
  ]);
  const byPath = await search(service, "q=wombat");
  assert.deepEqual(
    byPath.map(({ kind }) => kind),
    ["commit"],
    "by a path that it changed",
  );
  const [agent] = await search(service, "q=spotting&kinds=agent");
  assert.equal(agent?.id, bob.agent_id);
  assert.deepEqual(await search(service, "q=quokka+marsupial&kinds=post,repo"), []);
  assert.equal((await search(service, "q=quokka+marsupial")).length, 1);
  for (const query of [
    "q=",
    "q=!",
    "q=x",
    "q=a+b+c",
    `q=${"ab+".repeat(0)}${Array.from({ length: 9 }, (_, i) => `w${i}`).join("+")}`,
    "q=ok&kinds=gossip",
    "q=ok&cursor=f.1",
    "",
  ])
    assert.equal((await service.get(`/search?${query}`)).status, 422, query);
});

eachEngine(
  "a text is found in another case, accent or form, and by one character",
  async (service) => {
    const ada = await service.register("ada");
    const bodies = [
      ["STRASSE in İSTANBUL, ΟΔΟΣ, café", "straße istanbul οδοσ CAFE"],
      ["co\u00adoperate in C++ or F#", "cooperate c++ f#"],
      ["黑猫警长", "猫"],
      ["مـرحـبـا שָׁלוֹם", "مرحبا שלום"],
    ] as const;
    for (const [body] of bodies) assert.equal((await ada.post("/post", { body })).status, 201);
    await indexed(service);
    for (const [i, [body, query]] of bodies.entries())
      assert.deepEqual(
        idsOf(await search(service, `q=${encodeURIComponent(query)}`)),
        [i + 1],
        body,
      );
    assert.deepEqual(await search(service, "q=f%2B%2B"), []);
  },
);

eachEngine("a page that shows the last result says that there is no more", async (service) => {
  const ada = await service.register("ada");
  for (const n of [1, 2, 3]) await ada.post("/post", { body: `A zebra, ${n}.` });
  await indexed(service);
  const { body } = await service.get("/search?q=zebra&limit=3");
  assert.deepEqual([body.count, body.more, body.next], [3, false, null]);
  const { body: first } = await service.get("/search?q=zebra&limit=2");
  assert.deepEqual([first.count, first.more], [2, true]);
  const { body: last } = await service.get(`/search?q=zebra&limit=2&cursor=${first.next}`);
  assert.deepEqual([idsOf(last.results), last.more], [[1], false]);
});

eachEngine("a withdrawn request is found no more", async (service) => {
  const { context } = service.service;
  const { id: request_id } = await openRequest(context, { from: null, text: "Seen a numbat?" });
  await indexed(service);
  assert.deepEqual(idsOf(await search(service, "q=numbat")), [request_id]);
  assert.equal(await removeRequest(context, request_id), true);
  await indexed(service);
  assert.deepEqual(await search(service, "q=numbat"), []);
});

const MARKED = `zqx a${"\u0344".repeat(3_990)}${"\u0f73".repeat(3_990)}`;
const PLAIN = `zqx ${"слово ".repeat(1_330)}`;

eachEngine(
  "a page costs the same for each text, and texts are indexed in short slices",
  async (service) => {
    const ada = await service.register("ada");
    const { context } = service.service;
    const found_ms: number[] = [];
    for (const body of [PLAIN, MARKED]) {
      for (let i = 0; i < 40; i++) assert.equal((await ada.post("/post", { body })).status, 201);
      await service.sequenced();
      let slices = 0;
      await indexNew({ ...context, yieldToRequests: async () => void slices++ });
      assert.ok(slices >= 40 / 5, `${slices} slices of 40 texts of 8,000 code points`);
      const { ids } = await newestWith(context.read, {
        words: ["zqx"],
        kinds: [],
        before_id: 10_000,
        limit: 40,
      });
      found_ms.push(await fastest(() => showResults(context.read, ids)));
    }
    const [plain = 0, marked = 0] = found_ms;
    assert.ok(marked < 10 * plain, `${marked} ms against ${plain} ms`);
  },
);

eachEngine("nothing hidden, withdrawn or replaced is found", async (service) => {
  const ada = await service.register("ada");
  const { context } = service.service;
  const { body: post } = await ada.post("/post", { body: "A secret of the numbat." });
  await ada.post("/profile", { purpose: "Feeds a numbat." });
  const offer = {
    capability: "numbat",
    title: "A numbat",
    description: "To look at.",
    price_usd: 1,
  };
  const { body: offered } = await ada.post("/market/offer", offer);
  await indexed(service);
  assert.equal((await search(service, "q=numbat")).length, 3);
  await hidePost(context, { post_id: post.id });
  assert.equal((await search(service, "q=numbat")).length, 2, "before the index hears of it");
  await ada.post("/profile", { purpose: "Feeds a bilby." });
  await ada.post("/market/offer/withdraw", { offer_id: offered.id });
  await indexed(service);
  assert.deepEqual(await search(service, "q=numbat"), []);
  const rows = async () => (await sql.countIndexed.first(context.read, {}))?.items;
  const left = await rows();
  assert.equal((await search(service, "q=bilby")).length, 1);
  await unhidePost(context, { post_id: post.id });
  await indexed(service);
  assert.deepEqual(idsOf(await search(service, "q=numbat")), [post.id]);
  assert.equal(await rows(), (left ?? 0) + 1);
});

const MANY = 30_000;

/** Things that share a word, without the entries behind them. */
async function index(write: Context["write"], from_id: number, count: number): Promise<void> {
  const words = markedWords(0, ["hello"]);
  const items = Array.from({ length: count }, (_, i) => ({ rowid: from_id + i, words })).reverse();
  await write((tx) => sql.insertItems(tx, items));
}

/** The fastest of many calls, which no other process of the machine has disturbed. */
async function fastest(call: () => Promise<unknown>): Promise<number> {
  const took_ms: number[] = [];
  for (let i = 0; i < 50; i++) {
    const began_ms = performance.now();
    await call();
    took_ms.push(performance.now() - began_ms);
  }
  return Math.min(...took_ms);
}

eachEngine("a page behind many others takes as long as the first one", async (service) => {
  const { read, write } = service.service.context;
  for (let from_id = 1; from_id < MANY; from_id += 500) await index(write, from_id, 500);
  const page = (before_id: number) => () =>
    newestWith(read, { words: ["hello"], kinds: [], before_id, limit: 20 });
  const { ids } = await page(1_001)();
  assert.deepEqual(
    ids,
    Array.from({ length: 20 }, (_, i) => 1_000 - i),
  );
  const [first, late] = [await fastest(page(MANY + 1)), await fastest(page(1_001))];
  assert.ok(late < 10 * first, `${late} ms against ${first} ms`);
});

eachEngine(
  "one call looks through a bounded number of ids, fewer for several words",
  async (service) => {
    const { read, write } = service.service.context;
    await index(write, 1, 1);
    const before_id = IDS_MAX + 2;
    const asked = { words: ["hello"], kinds: [], before_id, limit: 20 };
    assert.deepEqual(await newestWith(read, asked), { ids: [], from_id: 2 });
    assert.deepEqual(await newestWith(read, { ...asked, before_id: IDS_MAX + 1 }), {
      ids: [1],
      from_id: 1,
    });
    for (const joined of [{ words: ["hello", "world"] }, { kinds: ["post"] }] as const) {
      const found = await newestWith(read, { ...asked, ...joined });
      assert.deepEqual(found, { ids: [], from_id: before_id - IDS_MAX_JOINED });
    }
  },
);

eachEngine("a thing is found before it is indexed, and after it the same", async (service) => {
  const ada = await service.register("ada");
  for (let i = 0; i < 6; i++) await ada.post("/post", { body: `numbat ${i}` });
  await indexed(service);
  for (let i = 6; i < 10; i++) await ada.post("/post", { body: `numbat ${i}` });
  await ada.post("/claim", { kind: "claim", statement: "A numbat eats 20,000 termites a day." });
  const { context } = service.service;
  await hidePost(context, { post_id: 2 });
  for (const post_id of [5, 6, 8]) await hidePost(context, { post_id });
  await hidePost(context, { post_id: 9 });
  await unhidePost(context, { post_id: 9 });
  await ada.post("/profile", { name: "Ada", purpose: "counts each numbat" });
  await service.sequenced();
  const found = async () => {
    const all = await search(service, "q=numbat&limit=100");
    for (const limit of [1, 2, 3, 4, 5]) {
      const paged: Result[] = [];
      for (let next = ""; ; ) {
        const { body } = await service.get(`/search?q=numbat&limit=${limit}${next}`);
        paged.push(...body.results);
        if (!body.more) break;
        next = `&cursor=${body.next}`;
      }
      assert.deepEqual(paged, all, `page by page of ${limit}`);
    }
    assert.deepEqual(
      await search(service, "q=numbat&limit=100&kinds=claim,agent"),
      all.filter(({ kind }) => kind !== "post"),
    );
    return all;
  };
  const before = await found();
  assert.deepEqual(idsOf(before), [1, 10, 9, 7, 4, 3, 1, ada.agent_id]);
  const { body } = await service.get("/search?q=numbat");
  assert.equal(body.indexed_through_id, (await service.get("/stats")).body.ledger_entries);
  await indexed(service);
  assert.deepEqual(await found(), before);
});

eachEngine(
  "where too much is not indexed yet, a search says how far it looked",
  async (service) => {
    const ada = await service.register("ada");
    await ada.post("/post", { body: "quoll" });
    await indexed(service);
    const { indexed_through_id } = (await service.get("/search?q=quoll")).body;
    const count = UNINDEXED_MAX + 1;
    await Promise.all(
      Array.from({ length: count }, (_, i) => ada.post("/post", { body: `quoll ${i}` })),
    );
    await service.sequenced();
    const { body } = await service.get("/search?q=quoll");
    assert.deepEqual([body.count, body.indexed_through_id], [1, indexed_through_id]);
  },
);

eachEngine("an index that is made again is what it was", async (service) => {
  const ada = await service.register("ada");
  for (let i = 0; i < 30; i++) await ada.post("/post", { body: `wombat ${i % 3}` });
  await hidePost(service.service.context, { post_id: 7 });
  await indexed(service);
  const before = await search(service, "q=wombat&limit=100");
  await forgetIndex(service.service.context);
  const items = async () => (await sql.countIndexed.first(service.service.context.read, {}))?.items;
  assert.equal(await items(), 0);
  await indexed(service);
  assert.equal(await items(), 30, "one is hidden, one is ada");
  assert.deepEqual(await search(service, "q=wombat&limit=100"), before);
  assert.equal(before.length, 29);
});

eachEngine(
  "a commit is found by the words of its files, until they are purged",
  async (service) => {
    const ada = await service.register("ada");
    await ada.post("/repo", { name: "Notes", mission: "Keep them." });
    const bytes = Buffer.from([0xff, 0xfe, ...Buffer.from("binturong")]);
    const commit = (summary: string, files: readonly object[]) =>
      ada.post("/repo/commit", { repo_id: 1, summary, files });
    const numbat = { text: "A numbat eats termites.\n" };
    await commit("First.", [
      { path: "notes/a.md", ...numbat },
      { path: "picture.bin", base64: bytes.toString("base64") },
      { path: "z.txt", text: `${"word ".repeat(20_000)} potoroo` },
    ]);
    const made = await commit("Second.", [{ path: "copy.md", ...numbat }]);
    assert.equal(made.status, 201);
    await indexed(service);
    const ids = async (q: string) => (await search(service, `q=${q}`)).map(({ id }) => id);
    assert.deepEqual(await ids("numbat+termites"), [2, 1]);
    assert.deepEqual(await ids("binturong"), [], "no text");
    assert.deepEqual(await ids("potoroo"), [], "a large file");
    const sha256 = createHash("sha256").update(numbat.text).digest("hex");
    await purgeFile(service.service.context, { sha256, reason: "It names a person." });
    await indexed(service);
    assert.deepEqual(await ids("numbat"), []);
    assert.deepEqual(await ids("copy"), [2], "its path stays");
  },
);
