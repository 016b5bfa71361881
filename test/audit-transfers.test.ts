import assert from "node:assert/strict";
import { test } from "node:test";
import { writeExport } from "../src/cli/transfer/export.ts";
import { agentById } from "../src/identity/queries.ts";
import { append } from "../src/ledger/append.ts";
import { sha256Hex } from "../src/ledger/sha256.ts";
import { openSnapshot } from "../src/main/storage/database.ts";
import { UNIT_RAW } from "../src/market/amounts.ts";
import * as entries from "../src/market/entries.ts";
import { insertOrder, setDue } from "../src/market/queries.ts";
import { OFFER } from "./market-service.ts";
import { ENGINES, openTestService, type TestAgent, type TestService } from "./service.ts";
import { statement } from "./statement.ts";
import { auditRun, newFile } from "./verify-run.ts";

for (const engine of ENGINES)
  for (const [name, found] of [
    ["a transfer that was made to count twice", countTwice],
    ["a debt to an account that paid nothing", oweToMallory],
  ] as const)
    test(`${name} is found in the ledger [${engine}]`, async () => {
      const service = await openTestService(engine, "twice");
      try {
        await found(service);
      } finally {
        await service.close();
      }
    });

/** What the hourly check and the audits of the service and of its export find, again and again. */
function checksOf(service: TestService) {
  const hourly = async () => {
    await service.sequenced();
    await service.shared.jobs.find(({ name }) => name === "transfer_audit")?.run();
    return service.service.rewardPool.violations();
  };
  const audits = async () => {
    await service.seal();
    const written = newFile();
    const snapshot = await openSnapshot(service.configuration);
    await writeExport(snapshot, written).finally(() => snapshot.close());
    const runs = [service.url, written].map((from) => auditRun([from, "--state", newFile()]));
    return Promise.all(runs);
  };
  return { hourly, audits };
}

/** What somebody can do who has the database: the register forgets, and the network is asked again. */
async function countTwice(service: TestService): Promise<void> {
  const ada = await service.register();
  const contribute = async (txid: string) =>
    (await ada.post("/contribute", { currency: "other", txid, amount: "1" })).status;
  const { hourly, audits } = checksOf(service);
  for (const txid of ["A parcel", "b".repeat(64)]) assert.equal(await contribute(txid), 201);
  assert.equal(await contribute("A parcel"), 409);
  assert.equal(await hourly(), 0);
  for (const { exit_code, text } of await audits()) assert.equal(exit_code, 0, text);

  const change = (sql: string) => service.service.context.write((tx) => tx.run(statement(sql), []));
  const on = service.engine === "postgres" ? " on chain_tx" : "";
  await change(`drop trigger chain_tx_is_never_deleted${on}`);
  await change("delete from chain_tx where key = 'A parcel'");
  assert.equal(await contribute("A parcel"), 201);
  assert.equal(await hourly(), 1);
  assert.equal(await hourly(), 1, "told once");
  assert.deepEqual(service.alarms.splice(0), ["transfer_violation"]);
  for (const { exit_code, text } of await audits()) {
    assert.equal(exit_code, 1);
    assert.match(text, /Entry \d+ breaks a rule: I13, contribution\/3 .* contribution\/1 has used/);
  }
}

/** What the operator could do, who writes the ledger: all books balance. */
async function oweToMallory(service: TestService): Promise<void> {
  const { hourly, audits } = checksOf(service);
  const [buyer, seller] = [await service.register("bob"), await service.register("ada")];
  const offer = (await seller.post("/market/offer", OFFER)).body.id;
  const amount_raw = String(UNIT_RAW);
  await service.service.context.write(async (tx) => {
    const id = async ({ agent_id }: TestAgent) =>
      (await agentById.first(tx, { agent_id }))?.id ?? 0;
    const order = await insertOrder.first(tx, {
      ...{
        offer,
        buyer: await id(buyer),
        seller: await id(seller),
        sla_hours: 1,
        client_ref: null,
      },
      ...{ price_usd_micro: 1_000_000, base_raw: amount_raw, rate_e8: 1, rate_source: "static" },
      ...{ escrow_address: "nano_escrow", refund_address: null, expires_at: 1, created_at: 1 },
    });
    const order_id = order?.id ?? 0;
    const due_raw = `${UNIT_RAW + BigInt(order_id)}`;
    await setDue.run(tx, { id: order_id, due_raw });
    append(tx, entries.order, {
      ...{ order_id, offer_id: offer, buyer: buyer.agent_id, seller: seller.agent_id },
      ...{ price_usd_micro: 1_000_000, fee_usd_micro: 200_000, seller_usd_micro: 800_000 },
      ...{ due_raw, seller_raw: `${(UNIT_RAW / 10n) * 8n}` },
      ...{ fee_raw: `${(UNIT_RAW / 10n) * 2n + BigInt(order_id)}`, sla_hours: 1 },
      ...{ rate: "1", rate_source: "static", expires_at: 1 },
    });
    append(tx, entries.orderPayment, {
      ...{ order_id, n: 1, currency: "xno", txid: "A".repeat(64), amount_raw },
      ...{ checked: 1, role: "late", from_sha256: sha256Hex("nano_bob") },
    });
    append(tx, entries.refundDue, {
      ...{ order_id, n: 1, amount_raw, why: "late", to_sha256: sha256Hex("nano_mallory") },
    });
  });
  assert.equal(await hourly(), 2, "the register has not the payment, either");
  assert.deepEqual(service.alarms.splice(0), ["transfer_violation", "transfer_violation"]);
  for (const { exit_code, text } of await audits()) {
    assert.equal(exit_code, 1);
    assert.match(text, /breaks a rule: I16, order 1 owes debt 1 to an account that paid nothing/);
  }
}
