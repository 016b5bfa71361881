import assert from "node:assert/strict";
import { test } from "node:test";
import { writeExport } from "../src/cli/transfer/export.ts";
import * as coin from "../src/domains/coin/entries.ts";
import { agentById } from "../src/domains/identity/queries.ts";
import { baseRaw, splitOf, taggedDue, UNIT_RAW } from "../src/domains/market/amounts.ts";
import * as entries from "../src/domains/market/entries.ts";
import { insertOrder, setDue } from "../src/domains/market/queries.ts";
import { SLA_HOURS_DEFAULT } from "../src/domains/market/rules.ts";
import * as transfers from "../src/domains/transfers/entries.ts";
import { addOwnAccount } from "../src/domains/transfers/own-accounts.ts";
import { openSnapshot } from "../src/main/storage/database.ts";
import { accountText } from "../src/platform/chain/account.ts";
import type { Body, EntryKind } from "../src/platform/kernel/contract/entry-kind.ts";
import { micro } from "../src/platform/kernel/money.ts";
import { HOUR_S } from "../src/platform/kernel/time.ts";
import { append } from "../src/platform/ledger/append.ts";
import { sha256Hex } from "../src/platform/ledger/sha256.ts";
import { dev } from "./chain-service.ts";
import { readLedger } from "./invariants.ts";
import { OFFER } from "./market-service.ts";
import { ENGINES, openTestService, type TestAgent, type TestService } from "./service.ts";
import { statement } from "./statement.ts";
import { auditRun, newFile } from "./verify-run.ts";

const ESCROW = accountText(dev("escrow").key);

for (const engine of ENGINES)
  test(`a transfer that was made to count twice is found in the ledger [${engine}]`, async () => {
    const service = await openTestService(engine, "twice");
    try {
      await countTwice(service);
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

/** What the operator could do, who writes the ledger: each of them is one breach, and is told once. */
const FORGERIES: readonly (readonly [
  name: string,
  forge: (forger: Forger) => Promise<void>,
  rule: RegExp,
])[] = [
  [
    "a debt to an account that paid nothing",
    async ({ service, write, sell, invoice }) => {
      const amount_raw = `${BigInt(invoice.due_raw) - BigInt(invoice.base_raw) + UNIT_RAW}`;
      await sell({});
      await write(entries.orderPayment, {
        order_id: 1,
        n: 1,
        currency: "xno",
        txid: "A".repeat(64),
        amount_raw,
        checked: 1,
        role: "payment",
        from_sha256: sha256Hex("nano_bob"),
      });
      service.pass(2 * HOUR_S);
      await service.service.context.write(async (tx) => {
        const made_at = service.service.context.clock.now();
        append(tx, entries.orderExpired, { order_id: 1, made_at });
        append(tx, entries.refundDue, {
          order_id: 1,
          n: 1,
          amount_raw,
          why: "short",
          to_sha256: sha256Hex("nano_mallory"),
        });
      });
    },
    /refund_due 1\/1: The entry before it says that another one has to come next of its order/,
  ],
  [
    "a price that is not split 80 to 20",
    ({ sell }) => sell({ fee_usd_micro: 1, seller_usd_micro: 9_999_999 }),
    /order 1: A price is split 80 to 20/,
  ],
  [
    "a contribution of the network's own money",
    ({ write, buyer: { agent_id: agent } }) =>
      write(transfers.contribution, {
        contribution_id: 1,
        agent,
        currency: "xno",
        verification: "checked",
        txid: "B".repeat(64),
        amount_raw: `${10n ** 30n}`,
        amount: "1",
        rate: "0.8",
        proof: "send_chain",
        usd_micro: 800_000,
        from_sha256: sha256Hex(ESCROW),
      }),
    /contribution 1: Money of the network's own accounts is no contribution/,
  ],
  [
    "coins that nobody had",
    ({ write, buyer: { agent_id: from }, seller: { agent_id: to } }) =>
      write(coin.coinTransfer, { transfer_id: 1, from, to, amount_micro: 5 }),
    /coin_transfer 1: Your balance is lower than the amount/,
  ],
];

type Writes = <K extends EntryKind>(kind: K, body: Body<K["fields"]>) => Promise<void>;

interface Forger {
  readonly service: TestService;
  readonly write: Writes;
  readonly buyer: TestAgent;
  readonly seller: TestAgent;
  /** An order as the service would make it, but for what is changed. */
  readonly sell: (changed: Partial<Body<typeof entries.order.fields>>) => Promise<void>;
  readonly invoice: { readonly base_raw: string; readonly due_raw: string };
}

async function forgerOf(service: TestService): Promise<Forger> {
  const { context } = service.service;
  const write: Writes = (kind, body) =>
    context.write(async (tx) => append(tx, kind, body)).then(service.sequenced);
  const [buyer, seller] = [await service.register("bob"), await service.register("ada")];
  const offer_id = (await seller.post("/market/offer", OFFER)).body.id;
  await addOwnAccount(context, { address: ESCROW, role: "escrow" });
  await service.sequenced();
  const [{ leaf: genesis } = assert.fail()] = await readLedger(service);
  const of = { id: 1, base_raw: `${baseRaw(micro(10_000_000), 80_000_000n)}` };
  const invoice = { ...of, due_raw: taggedDue({ ...of, genesis }, sha256Hex) };
  const { due_raw, fee_raw, seller_raw } = splitOf({ ...invoice, price_usd_micro: 10_000_000 });
  const expires_at = context.clock.now() + HOUR_S;
  const order = {
    order_id: 1,
    offer_id,
    buyer: buyer.agent_id,
    seller: seller.agent_id,
    price_usd_micro: 10_000_000,
    fee_usd_micro: 2_000_000,
    seller_usd_micro: 8_000_000,
    due_raw,
    fee_raw,
    seller_raw,
    sla_hours: SLA_HOURS_DEFAULT,
    escrow: ESCROW,
    rate: "0.8",
    rate_source: "static",
    expires_at,
  };
  /** The books have a place only for an order that has its row. */
  const sell: Forger["sell"] = (changed) =>
    context.write(async (tx) => {
      const id = async ({ agent_id }: TestAgent) =>
        (await agentById.first(tx, { agent_id }))?.id ?? 0;
      const parties = { offer: offer_id, buyer: await id(buyer), seller: await id(seller) };
      await insertOrder.first(tx, {
        ...parties,
        sla_hours: SLA_HOURS_DEFAULT,
        client_ref: null,
        expires_at,
        price_usd_micro: 10_000_000,
        base_raw: invoice.base_raw,
        rate_e8: 80_000_000,
        rate_source: "static",
        escrow_address: ESCROW,
        refund_address: null,
        created_at: 1,
      });
      await setDue.run(tx, { id: 1, due_raw });
      append(tx, entries.order, { ...order, ...changed });
    });
  return { service, write, buyer, seller, sell, invoice };
}

for (const engine of ENGINES)
  for (const [name, forge, rule] of FORGERIES)
    test(`one breach is told once: ${name} [${engine}]`, async () => {
      const service = await openTestService(engine, "once");
      try {
        await forge(await forgerOf(service));
        await service.sequenced();
        await service.shared.jobs.find((job) => job.name === "rules_audit")?.run();
        assert.deepEqual(service.alarms.splice(0), ["rule_violation"]);
        for (const { exit_code, text } of await checksOf(service).audits()) {
          assert.equal(exit_code, 1);
          const [told, ...others] = text.split("\n").filter((line) => /breaks a rule/.test(line));
          assert.match(told ?? "", rule);
          assert.deepEqual(others, []);
        }
      } finally {
        await service.close();
      }
    });
