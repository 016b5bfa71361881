import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dev } from "../../../../test/chain-service.ts";
import { eachMarket } from "../../../../test/market-service.ts";
import { auditRun, newFile } from "../../../../test/verify-run.ts";
import { returnUnmatched } from "../../../domains/market/payouts/returns.ts";
import { addOwnAccount } from "../../../domains/transfers/own-accounts.ts";
import { accountText } from "../../../platform/chain/account.ts";

const XNO = 10n ** 30n;

eachMarket(
  "an audit asks Nano nodes about every sealed transfer, and for the reserves",
  async (market) => {
    const { context, payers, url } = market;
    await addOwnAccount(context, { address: accountText(dev("escrow").key), role: "escrow" });
    const { split } = await market.order(await market.offer());
    market.send(split.due_raw);
    const stray = market.send(2n * XNO + 3n, "carol");
    await market.watch();
    const { hash: txid } = payers.chain.wallet.send(dev("escrow"), dev("carol").key, 2n * XNO + 3n);
    await returnUnmatched(context, { payment: stray, txid });
    await market.seal();

    const node = payers.nodes[0]?.url ?? "";
    const done = newFile();
    const ask = async (...more: string[]) => {
      const run = await auditRun([url, "--nano", node, "--state", newFile(), "--json", ...more]);
      const { nano } = JSON.parse(run.text);
      return { code: run.exit_code, nano };
    };
    const fine = await ask("--nano-done", done);
    assert.deepEqual([fine.code, fine.nano.transfers, fine.nano.findings], [0, 3, []]);
    assert.deepEqual(
      [fine.nano.reserves[0].held_raw, fine.nano.owed_raw],
      [split.due_raw, split.due_raw],
    );
    assert.equal(readFileSync(done, "utf8").split("\n").length, 4);
    const again = await ask("--nano-done", done);
    assert.deepEqual([again.nano.looked_up, again.nano.skipped], [0, 3]);

    // A payment that no chain has, and that the service calls checked.
    const other = await market.order(await market.offer());
    await market.book(other.id, other.split.due_raw);
    await market.seal();
    const forged = await ask("--nano-done", done);
    assert.equal(forged.code, 1);
    const [finding, ...others] = forged.nano.findings;
    assert.deepEqual(
      [finding.entry, finding.finding, finding.isWord, others],
      [`order_payment ${other.id}/1`, "is not on the chain", false, []],
    );
    assert.ok(BigInt(forged.nano.reserves[0].held_raw) < BigInt(forged.nano.owed_raw));
  },
);
