import assert from "node:assert/strict";
import { honest } from "../src/platform/chain/dev/node.ts";
import { LOOKUPS_AT_ONCE } from "../src/platform/chain/open.ts";
import { FAULTS } from "./chain-faults.ts";
import { eachMarket } from "./market-service.ts";
import { eventually, times } from "./postgres-store.ts";

const AGENTS = 64;
const POSTS = 4;

eachMarket(
  "a payment is seen within two rounds while 64 agents flood slow nodes",
  async (market) => {
    const { payers, seen, buyer } = market;
    const { id, split } = await market.order(await market.offer());
    const agents = await Promise.all(times(AGENTS, () => market.register()));
    const made = (agent: number, n: number) => `${agent}${n}`.padStart(64, "BE51E6ED");
    // So slow that of a made-up transaction they say nothing while the test lasts.
    payers.spoil((...answer) =>
      answer[2].includes("BE51E6ED") ? FAULTS.silence(...answer) : honest(...answer),
    );
    const asked = () => payers.calls.filter((action) => action === "blocks_info").length;
    const before = asked();
    const flood = agents.flatMap((agent, i) =>
      times(POSTS, (n) => agent.post("/contribute", { currency: "xno", txid: made(i + 100, n) })),
    );
    await eventually(() => asked() - before === LOOKUPS_AT_ONCE);
    market.send(split.due_raw);
    let rounds = 0;
    while ((await seen(buyer, id)).state === "awaiting_payment" && rounds < 3) {
      await market.watch();
      rounds++;
    }
    assert.ok(rounds <= 2, `${rounds} rounds`);
    const answers = await Promise.all(flood);
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [503]);
    const refused = answers.filter(({ body }) => body.error === "overloaded");
    assert.equal(refused.length, AGENTS * POSTS - 72, "the rest has waited in vain");
  },
);
