import assert from "node:assert/strict";
import { eachMarket } from "../../../../test/market-service.ts";
import { eachEngine } from "../../../../test/service.ts";
import { DIRECTORY_EXAMINED_MAX } from "../rules.ts";

interface Listed {
  readonly agents: readonly { readonly handle: string }[];
  readonly next: string | null;
  readonly nearest?: readonly { readonly capability: string; readonly agents: number }[];
  readonly hint?: string;
}

const handlesIn = ({ agents }: Listed) => agents.map(({ handle }) => handle);

eachEngine(
  "words of one capability find an agent, in any order, the phrase first",
  async (service) => {
    const list = async (query: string): Promise<Listed> =>
      (await service.get(`/directory?${new URLSearchParams(query)}`)).body;
    const found = async (question: string, more = "") =>
      handlesIn(await list(`capability=${question}${more}`));
    const declare = async (handle: string, ...capabilities: string[]) => {
      const agent = await service.register(handle);
      service.pass(1);
      await agent.post("/profile", { capabilities });
      return agent;
    };
    await declare("one", "translate to Czech");
    await declare("two", "Czech: translate, review", "translate czech prose");
    await declare("three", "translate", "Czech");
    await declare("four", "Translate Czech");
    await declare("five", "Übersetzung ins Tschechische");
    await declare("six", "e2e:hpke1:czech translate");

    assert.deepEqual(
      await found("translate Czech"),
      ["four", "two", "one"],
      "the phrase itself first",
    );
    assert.deepEqual(await found("czech translate"), ["four", "two", "one"]);
    assert.deepEqual(await found("ubersetzung"), ["five"], "folded as a search folds");
    assert.deepEqual(await found("translate"), ["three", "four", "two", "one"]);
    assert.deepEqual(await found("translate japanese"), []);

    const walked: string[] = [];
    for (let next: string | null = ""; next !== null; ) {
      const cursor: string = next === "" ? "" : `&cursor=${next}`;
      const page: Listed = await list(`capability=translate czech&limit=1${cursor}`);
      walked.push(...handlesIn(page));
      next = page.next;
    }
    assert.deepEqual(walked, ["four", "two", "one"], "each once, over all pages");

    const nobody = await list("capability=translation of Japanese");
    assert.deepEqual(nobody.agents, []);
    assert.match(nobody.hint ?? "", /kinds=agent/);
    const named = nobody.nearest?.map(({ capability }) => capability) ?? [];
    assert.ok(named.includes("translate") && named.includes("translate to czech"), named.join());
    assert.equal((await list("capability=translate")).nearest, undefined);
  },
);

eachEngine("offers are found by the words of their capability", async (service) => {
  const seller = await service.register();
  const offer = async (capability: string, price_usd = 1) =>
    (await seller.post("/market/offer", { capability, title: "T", description: "D", price_usd }))
      .body.id;
  const found = async (query: string) =>
    (await service.get(`/market?${new URLSearchParams(query)}`)).body.offers.map(
      ({ id }: { id: number }) => id,
    );
  const [czech, dear, exact] = [
    await offer("translate prose to Czech"),
    await offer("Czech translate", 9),
    await offer("translate czech", 2),
  ];
  await offer("translate Polish");
  assert.deepEqual(await found("capability=translate czech"), [exact, dear, czech]);
  assert.deepEqual(await found("capability=translate czech&max_usd=5"), [exact, czech]);
  assert.deepEqual(await found("capability=translate czech&limit=1"), [exact]);
});

eachMarket("each agent carries what it has delivered, as counts", async (market) => {
  const { seller, buyer } = market;
  await seller.post("/profile", { capabilities: ["summarise"] });
  await buyer.post("/profile", { capabilities: ["ask"] });
  const { id } = await market.delivered(await market.offer());
  const facts = async (capability: string) => {
    const { body } = await market.get(`/directory?capability=${capability}`);
    const { latest: _, ...counts } = body.agents[0].facts;
    return counts;
  };
  const none = { answers_accepted: 0, askers: 0, orders_released: 0, works: 0 };
  assert.deepEqual(await facts("summarise"), none, "an order counts once it is released");
  await buyer.post("/market/accept", { order_id: id });
  const asked = await buyer.post("/request", { text: "Sum it up.", ends: "accepted" });
  const { body } = await seller.post("/request/answer", {
    request_id: asked.body.id,
    answer: "Three findings.",
  });
  await buyer.post("/request/accept", { request_id: asked.body.id, answer_id: body.id });
  await market.sequenced();
  const delivered = { answers_accepted: 1, askers: 1, orders_released: 1, works: 1 };
  assert.deepEqual(await facts("summarise"), delivered);
  assert.deepEqual(await facts("ask"), none);
});

eachEngine(
  "several capabilities must all match, and the words of q in a profile",
  async (service) => {
    const list = async (query: string) => (await service.get(`/directory?${query}`)).body;
    const found = async (query: string) => handlesIn(await list(query));
    const declare = async (handle: string, said: object) => {
      const agent = await service.register(handle);
      service.pass(1);
      await agent.post("/profile", said);
      return agent;
    };
    const one = await declare("one", {
      capabilities: ["translate Czech", "proofread"],
      purpose: "Übersetzt Verträge.",
    });
    await declare("two", { capabilities: ["translate Czech", "sing"], name: "Vertrage & Co" });
    await declare("three", { capabilities: ["sing"], purpose: "Reads contracts aloud." });

    assert.deepEqual(await found("capability=czech translate"), ["two", "one"]);
    assert.deepEqual(await found("capability=czech translate,proofread"), ["one"]);
    assert.deepEqual(await found("capability=sing, CZECH"), ["two"]);
    assert.deepEqual(await found("capability=czech,sing,proofread"), []);
    assert.deepEqual(await found("capability=sing&q=contracts"), ["three"]);
    assert.deepEqual(await found("q=vertrage"), ["two", "one"], "folded as a search folds");
    assert.deepEqual(await found("q=ubersetzt vertrage proofread"), ["one"]);
    assert.deepEqual(await found("q=vertrage&limit=1"), ["two"]);
    const nobody = await list("q=translation of opera");
    assert.match(nobody.hint, /kinds=agent/);
    assert.deepEqual(nobody.nearest, [{ capability: "translate czech", agents: 2 }]);
    for (const wrong of [
      "q=a",
      "q=aa bb cc dd ee ff gg hh ii",
      "capability=,",
      "capability=a,b,c,d,e",
    ])
      assert.equal((await service.get(`/directory?${wrong}`)).status, 422, wrong);

    await one.post("/profile", { purpose: "Sings." });
    assert.deepEqual(await found("q=vertrage"), ["two"], "of a profile as it is now");
    assert.deepEqual(await found("q=proofread sings"), ["one"]);
  },
);

eachEngine(
  "a page of a question with several conditions is bounded and goes on",
  async (service) => {
    const wanted = await service.register("wanted");
    await wanted.post("/profile", { capabilities: ["sing", "dance"] });
    for (let n = 0; n < DIRECTORY_EXAMINED_MAX; n++) {
      const agent = await service.register();
      await agent.post("/profile", {
        capabilities: ["sing"],
        purpose: n === 0 ? "Sing, dance." : "x",
      });
    }
    const pages: Listed[] = [];
    const walk = async (query: string) => {
      pages.length = 0;
      for (let next: string | null = ""; next !== null; next = pages.at(-1)?.next ?? null)
        pages.push((await service.get(`/directory?${query}${next && `&cursor=${next}`}`)).body);
      return pages.flatMap(handlesIn);
    };
    assert.deepEqual(await walk("capability=sing,dance"), ["wanted"]);
    assert.equal(pages.length, 2, "the first has looked at as many as it may");
    assert.deepEqual(pages[0]?.agents, []);
    assert.equal(pages[0]?.nearest, undefined, "others may be behind");
    assert.equal((await walk("q=sing dance")).length, 2);
  },
);

eachMarket("an agent's latest works for the asked capability are named", async (market) => {
  const { seller, buyer } = market;
  await seller.post("/profile", { capabilities: ["summarise papers", "sing"] });
  const answered: { kind: string; id: number; request_id: number }[] = [];
  for (const capability of ["summarise papers", "sing", "papers: summarise", "Summarise papers"]) {
    const asked = await buyer.post("/request", { text: "Do it.", ends: "accepted", capability });
    const request_id = asked.body.id;
    const { body } = await seller.post("/request/answer", { request_id, answer: "Done." });
    await buyer.post("/request/accept", { request_id, answer_id: body.id });
    answered.push({ kind: "answer", id: body.id, request_id });
    market.pass(1);
  }
  await seller.post("/profile", {
    capabilities: ["summarise papers", "papers: summarise", "sing"],
  });
  const { id } = await market.delivered(await market.offer({ capability: "Summarise papers" }));
  await buyer.post("/market/accept", { order_id: id });
  const latest = async (query: string) =>
    (await market.get(`/directory?${query}`)).body.agents[0].facts.latest;
  const [first, sung, second, third] = answered;
  assert.deepEqual(await latest("capability=papers"), [{ kind: "order", id }, third, second]);
  assert.deepEqual(await latest("capability=sing"), [sung]);
  assert.equal((await latest("capability=sing,papers")).length, 3);
  assert.equal(await latest("q=papers"), undefined);
  assert.ok(first !== undefined);
});
