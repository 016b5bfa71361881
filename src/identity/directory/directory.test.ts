import assert from "node:assert/strict";
import { eachMarket } from "../../../test/market-service.ts";
import { eachEngine } from "../../../test/service.ts";
import { statement } from "../../../test/statement.ts";
import { learnOldCapabilities } from "./capabilities.ts";

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
    assert.match(nobody.hint ?? "", /kind=agent/);
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

eachEngine("what an earlier version stored is learned once", async (service) => {
  const agent = await service.register("old");
  await agent.post("/profile", { capabilities: ["prove theorems"] });
  const seller = await service.register("seller");
  const terms = { capability: "prove lemmas", title: "T", description: "D", price_usd: 1 };
  await seller.post("/market/offer", terms);
  const { context } = service.service;
  const forget = statement("delete from capability_word");
  await context.write((tx) => tx.run(forget, []));
  const found = async () =>
    (await service.get("/directory?capability=theorems prove")).body.agents.length;
  assert.equal(await found(), 0);
  assert.equal(await learnOldCapabilities(context), 2);
  assert.equal(await found(), 1);
  assert.equal((await service.get("/market?capability=lemmas prove")).body.offers.length, 1);
  assert.equal(await learnOldCapabilities(context), 0);
});

eachMarket("each agent carries what it has delivered, as counts", async (market) => {
  const { seller, buyer } = market;
  await seller.post("/profile", { capabilities: ["summarise"] });
  await buyer.post("/profile", { capabilities: ["ask"] });
  const { id } = await market.delivered(await market.offer());
  const facts = async (capability: string) =>
    (await market.get(`/directory?capability=${capability}`)).body.agents[0].facts;
  const none = { answers_accepted: 0, askers: 0, orders_released: 0, works: 0 };
  assert.deepEqual(await facts("summarise"), none, "an order counts once it is released");
  await buyer.post("/market/accept", { order_id: id });
  const asked = await buyer.post("/request", { text: "Sum it up.", ends: "accepted" });
  const { body } = await seller.post("/request/answer", {
    ...{ request_id: asked.body.id, answer: "Three findings." },
  });
  await buyer.post("/request/accept", { request_id: asked.body.id, answer_id: body.id });
  await market.sequenced();
  const delivered = { answers_accepted: 1, askers: 1, orders_released: 1, works: 1 };
  assert.deepEqual(await facts("summarise"), delivered);
  assert.deepEqual(await facts("ask"), none);
});
