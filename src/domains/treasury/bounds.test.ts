import assert from "node:assert/strict";
import { dev } from "../../../test/chain-service.ts";
import { eachEngineWithChain } from "../../../test/treasury-service.ts";
import { RAW_PER_XNO } from "../../platform/kernel/nano.ts";

eachEngineWithChain(
  "dust earns nothing where the operator wants more, and the rules say so",
  async (service, payers) => {
    const ada = await service.register();
    const rewardOf = async (amountRaw: bigint) => {
      const { send } = payers.pay(amountRaw);
      const { body } = await ada.post("/contribute", { currency: "xno", txid: send });
      return body.reward;
    };
    assert.deepEqual(await rewardOf(999n), { entitlement: null, why: "below_minimum" });
    assert.equal((await rewardOf(1_000n)).entitlement.source, "contribution/2");
    const { limits } = (await service.get("/limits")).body;
    assert.equal(limits.find(({ id }: { id: string }) => id === "min_reward").value, "1000");
    const earns = (await service.get("/coin")).body.rules.what_earns_a_reward;
    assert.match(earns.contribution, /It has to be 1000 raw at least\.$/);
  },
  { minReward_raw: 1_000n },
);

eachEngineWithChain(
  "a transfer that is worth more than an entry can say is refused, and nothing is stored",
  async (service, payers) => {
    const ada = await service.register();
    const contributed = async (xno: bigint) => {
      const { wallet, ledger } = payers.chain;
      const { hash } = wallet.send(dev("genesis"), dev("project").key, xno * RAW_PER_XNO);
      ledger.confirm(hash);
      return ada.post("/contribute", { currency: "xno", txid: hash });
    };
    const { status, body } = await contributed(100_000_000n);
    assert.deepEqual([status, body.error], [422, "validation_failed"]);
    const problem = "is worth more than 9000000000 USD at the reference rate";
    assert.deepEqual(body.details, [{ field: "txid", problem }]);
    assert.equal((await service.get("/contributions")).body.count, 0);
    assert.equal((await contributed(10_000_000n)).body.contribution.usd, 1_000_000_000);
  },
  { rates: { source: "static", xno_e8: 10_000_000_000n, xmr_e8: null, btc_e8: null } },
);
