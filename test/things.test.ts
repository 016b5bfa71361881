import assert from "node:assert/strict";
import { test } from "node:test";
import { itemsIn } from "../src/surfaces/mcp/tools/item-tool.ts";
import { fillService } from "./full-service.ts";
import { eachMarket } from "./market-service.ts";
import { operations, registry } from "./registry.ts";
import { eachEngine } from "./service.ts";

/** Where the objects of each kind are listed, and under which names their pages show them. */
const LISTED: Readonly<Record<string, { list: string; as: string }>> = {
  post: { list: "/feed", as: "post" },
  contribution: { list: "/contributions", as: "contribution" },
  commit: { list: "/repo/1/commits", as: "commit" },
  verdict: { list: "/claim/1/verdicts", as: "verdict" },
  answer: { list: "/request/1/answers", as: "answer" },
  submission: { list: "/tasks/1", as: "submission" },
  quest: { list: "/quests?status=all", as: "quest" },
  market_offer: { list: "/market", as: "offer" },
  announcement: { list: "/verify", as: "announcement" },
};

const listIn = (body: object, as: string): { id: number }[] =>
  Object.entries(body).find(([name]) => name === `${as}s` || name === `${as}ies`)?.[1] ??
  assert.fail(as);

eachMarket("everything with an id has a page, which shows it as its list does", async (market) => {
  await fillService(market);
  await market.sequenced();
  const items = itemsIn(registry);
  for (const [kind, { list, as }] of Object.entries(LISTED)) {
    const item = items.get(kind) ?? assert.fail(kind);
    const { body } = await market.get(list);
    const listed = listIn(body, as);
    assert.ok(listed.length > 0, kind);
    const pathOf = (id: unknown) => item.operation.path.replace(/\{\w+\}/, String(id));
    for (const each of listed) {
      const page = await market.get(pathOf(each.id));
      assert.deepEqual(page.body[as], each, `${kind} ${each.id}`);
    }
    for (const id of [999_999, "9007199254740991"]) {
      const { status, body: refusal } = await market.get(pathOf(id));
      assert.equal(status, 404, `${kind} ${id}`);
      assert.ok(
        item.operation.errors.some((code) => code === refusal.error),
        refusal.error,
      );
    }
  }
});

eachMarket(
  "each ledger entry has a page with its seal, its proof and its thing",
  async (market) => {
    for (let i = 0; i < 5; i++) await market.buyer.post("/post", { body: `Sealed soon ${i}.` });
    await market.seal();
    await fillService(market); // It ends with the entry of a restore, behind which a service begins anew.
    await market.sequenced();
    const { entries } = (await market.get("/since?after_id=0&limit=1000&with=entry")).body;
    const links = new Set<string>();
    for (const each of entries) {
      const { body } = await market.get(`/entry/${each.id}`);
      assert.deepEqual(body.entry, each);
      const proof = await market.get(body.proof.replace("/api/v1", ""));
      if (body.sealed_in === null) assert.equal(proof.body.error, "not_sealed_yet");
      else
        assert.deepEqual(
          [proof.body.seq, proof.body.ledger_id, proof.body.leaf],
          [body.sealed_in, each.id, each.leaf],
        );
      links.add(body.link);
    }
    assert.equal((await market.get("/entry/999999")).body.error, "entry_not_found");
    for (const link of links) {
      const by = link.includes("/market/order") ? market.buyer : market;
      const { status, body } = await by.get(link.replace("/api/v1", ""));
      assert.ok(status === 200 || status === 410 || body.error === "post_not_found", link);
    }
    assert.ok(links.size > 30, `${links.size} links`);
  },
);

eachEngine("an entry says that it has no seal yet", async (service) => {
  await service.register("ada");
  await service.sequenced();
  const { after_id } = (await service.get("/since?after_id=0")).body;
  const { body } = await service.get(`/entry/${after_id}`);
  assert.deepEqual([body.sealed_in, body.entry.kind], [null, "agent"]);
  const proof = await service.get(body.proof.replace("/api/v1", ""));
  assert.equal(proof.body.error, "not_sealed_yet");
  await service.seal();
  assert.ok((await service.get(`/entry/${after_id}`)).body.sealed_in > 0);
});

eachMarket("a transfer and grants of recognition are public", async (market) => {
  await fillService(market);
  const { entries } = (await market.get("/coin/ledger?kind=coin_transfer")).body;
  const [listed] = entries;
  const { transfer } = (await market.get(`/transfer/${listed.ref}`)).body;
  const { from, to, amount, memo } = listed;
  assert.deepEqual(
    [transfer.from, transfer.to, transfer.amount, transfer.memo],
    [from, to, amount, memo],
  );
  assert.equal("client_ref" in transfer, false, "a mark is its sender's own");
  assert.equal((await market.get("/transfer/999")).body.error, "transfer_not_found");

  const { recognitions } = (await market.get("/recognitions")).body;
  assert.ok(recognitions.length > 1);
  const { agent, note } = recognitions.find((grant: { note: unknown }) => grant.note !== null);
  const own = (await market.get(`/recognitions?agent=${agent.agent_id}`)).body.recognitions;
  assert.ok(own.length > 0 && own.length <= recognitions.length && note.length > 0);
  for (const grant of own) assert.deepEqual(grant.agent, agent);
  assert.equal((await market.get("/recognitions?agent=nobody")).body.error, "agent_not_found");
});

test("everything that a path names has a tool, or is an item of one", () => {
  const named = operations.filter(({ path, method }) => path.includes("{") && method === "GET");
  for (const { tool, item, path } of named) assert.ok((tool ?? item) !== undefined, path);
  assert.ok(named.length > 20);
});
