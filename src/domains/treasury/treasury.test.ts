import assert from "node:assert/strict";
import { FAULTS } from "../../../test/chain-faults.ts";
import { dev } from "../../../test/chain-service.ts";
import { readLedger } from "../../../test/invariants.ts";
import { eachEngine, type TestAgent } from "../../../test/service.ts";
import { eachEngineWithChain } from "../../../test/treasury-service.ts";
import { accountText } from "../../platform/chain/account.ts";
import { RAW_PER_XNO } from "../../platform/kernel/nano.ts";
import { MINUTE_S } from "../../platform/kernel/time.ts";
import { sha256Hex } from "../../platform/ledger/sha256.ts";

/** No transaction of the dev chain has it. */
const HASH = "AB".repeat(32);

const contribute = async (agent: TestAgent, fields: object) =>
  (await agent.post("/contribute", fields)).body;

eachEngineWithChain(
  "a transfer of XNO is recorded as the chain tells it",
  async (service, payers) => {
    const ada = await service.register("ada");
    const payment = payers.pay((RAW_PER_XNO * 3n) / 2n + 1n);
    const [send, receive] = [payment.send, payment.receive()];
    const sent = {
      currency: "xno",
      txid: ` 0x${send.toLowerCase()} `,
      amount: "9999",
      note: "Mine?",
    };
    const { status, body } = await ada.post("/contribute", sent);
    assert.equal(status, 201);
    assert.deepEqual(body.contribution, {
      id: 1,
      currency: "xno",
      txid: send,
      receive_hash: receive,
      amount: "1.500000000000000000000000000001",
      amount_raw: "1500000000000000000000000000001",
      usd: 1.2,
      rate: "0.8",
      rate_source: "static:default",
      verification: {
        state: "checked",
        proof: "receive_signed",
        checked_at: body.contribution.created_at,
        text: body.contribution.verification.text,
      },
      superseded_by: null,
      note: "Mine?",
      agent: { agent_id: ada.agent_id, handle: "ada" },
      created_at: body.contribution.created_at,
      verified: true,
    });
    assert.match(body.contribution.verification.text, /receiving block was checked/);
    const { entitlement, why } = body.reward;
    assert.deepEqual(
      [entitlement.why, entitlement.source, why],
      ["contribution", "contribution/1", null],
    );
    await service.sequenced();
    assert.deepEqual((await service.get("/contributions")).body, {
      ok: true,
      contributions: [body.contribution],
      count: 1,
      more: false,
      next: null,
      total: 1,
      totals: { verified_usd: 1.2, declared_usd: 0 },
    });
    const entries = await readLedger(service);
    const entry = entries.find(({ kind }) => kind === "contribution");
    assert.deepEqual(entry?.body, {
      contribution_id: 1,
      agent: ada.agent_id,
      currency: "xno",
      verification: "checked",
      txid: send,
      amount_raw: "1500000000000000000000000000001",
      usd_micro: 1_200_000,
      rate: "0.8",
      rate_source: "static:default",
      proof: "receive_signed",
      note_sha256: sha256Hex("Mine?"),
      from_sha256: sha256Hex(accountText(dev("alice").key)),
      receive_txid: receive,
    });
    assert.deepEqual(entry.text, { note: "Mine?" });
  },
);

eachEngine("a declaration is recorded as declared, and earns nothing", async (service) => {
  const ada = await service.register("ada");
  const hash = HASH;
  const name = "A parcel, 2027-01-15";
  const xmr = await contribute(ada, { currency: "xmr", txid: hash, amount: 0.25 });
  const btc = await contribute(ada, {
    currency: "btc",
    txid: "12".repeat(32),
    amount: "0.00000001",
  });
  const other = await contribute(ada, {
    currency: "other",
    txid: name,
    amount: "12.50",
    note: "x",
  });
  assert.equal(xmr.contribution.txid, hash.toLowerCase());
  assert.deepEqual(
    [xmr.contribution.amount, xmr.contribution.usd, xmr.contribution.rate],
    ["0.25", 75, "300"],
  );
  assert.deepEqual(
    [btc.contribution.usd, btc.contribution.rate, btc.contribution.rate_source],
    [null, null, null],
  );
  assert.deepEqual(
    [other.contribution.txid, other.contribution.amount, other.contribution.usd],
    [name, "12.50", null],
  );
  for (const { contribution, reward } of [xmr, btc, other]) {
    assert.deepEqual([contribution.verification.state, contribution.verified], ["declared", false]);
    assert.equal(contribution.amount_raw, null);
    assert.deepEqual(reward, { entitlement: null, why: "not_checked" });
  }
  await service.sequenced();
  const { contributions, totals } = (await service.get("/contributions?limit=2")).body;
  assert.deepEqual(contributions, [other.contribution, btc.contribution]);
  const older = (await service.get(`/contributions?before_id=${btc.id}`)).body;
  assert.deepEqual([older.contributions, older.more], [[xmr.contribution], false]);
  assert.deepEqual(totals, { verified_usd: 0, declared_usd: 75 });
  const entries = (await readLedger(service)).filter(({ kind }) => kind === "contribution");
  assert.deepEqual(entries[2]?.body, {
    contribution_id: 3,
    agent: ada.agent_id,
    currency: "other",
    verification: "declared",
    txid_sha256: sha256Hex(name),
    amount: "12.50",
    note_sha256: sha256Hex("x"),
  });
  assert.deepEqual(entries[2].text, { note: "x", txid: name });
});

eachEngine("a declaration needs no amount and no hash, and is in no sum", async (service) => {
  const ada = await service.register("ada");
  const named = (currency: string) => `Given at the fair, in ${currency}`;
  for (const currency of ["xmr", "btc", "other"]) {
    const { status, body } = await ada.post("/contribute", { currency, txid: named(currency) });
    assert.equal(status, 201, currency);
    const { amount, usd, rate, rate_source, txid } = body.contribution;
    assert.deepEqual([amount, usd, rate, rate_source], [null, null, null, null], currency);
    assert.equal(txid, named(currency));
  }
  const hash = { currency: "other", txid: HASH };
  assert.equal((await contribute(ada, hash)).contribution.txid, HASH.toLowerCase());
  await service.sequenced();
  const { totals, total } = (await service.get("/contributions")).body;
  assert.deepEqual([totals.declared_usd, total], [0, 4]);
  assert.equal((await service.get("/goal")).body.contributions_recorded, 4);
  const entries = (await readLedger(service)).filter(({ kind }) => kind === "contribution");
  const sealed = { contribution_id: 1, agent: ada.agent_id, verification: "declared" };
  const txid_sha256 = sha256Hex(named("xmr"));
  assert.deepEqual(entries[0]?.body, { ...sealed, currency: "xmr", txid_sha256 });
  assert.deepEqual(entries[0].text, { txid: named("xmr") });
  const [txid, currency] = [HASH.toLowerCase(), "other"];
  assert.deepEqual(entries[3]?.body, { ...sealed, contribution_id: 4, currency, txid });
  assert.deepEqual(entries[3].text, {});
});

eachEngineWithChain("malformed reports are refused with every problem", async (service) => {
  const ada = await service.register();
  const hash = HASH;
  const refused = async (fields: object, ...wrong: string[]) => {
    const { status, body } = await ada.post("/contribute", fields);
    assert.equal(status, 422, JSON.stringify(fields));
    assert.equal(body.error, "validation_failed");
    assert.deepEqual(
      body.details.map(({ field }: { field: string }) => field),
      wrong,
    );
  };
  await refused({}, "currency", "txid");
  await refused({ currency: "eur", txid: hash }, "currency");
  await refused({ currency: "xno", txid: "0".repeat(64) }, "txid");
  await refused({ currency: "xno", txid: hash.slice(1) }, "txid");
  await refused({ currency: "xmr", txid: "", amount: "x" }, "txid", "amount");
  await refused({ currency: "btc", txid: hash, amount: "0.123456789" }, "amount");
  for (const amount of ["0", "0.0", "-1", "1e3", "", ".5", "01", 1e21, `1.${"0".repeat(60)}`, true])
    await refused({ currency: "xmr", txid: hash, amount }, "amount");
  await refused({ currency: "xmr", txid: hash, amount: "333333.4" }, "amount");
  await refused({ currency: "other", txid: " ", amount: 1 }, "txid");
  await refused({ currency: "other", txid: "a\nb", amount: 1 }, "txid");
  await refused({ currency: "other", txid: "x".repeat(201), amount: 1 }, "txid");
  await refused({ currency: "other", txid: "x", amount: 1, note: "n".repeat(501) }, "note");
  assert.equal(
    (await ada.post("/contribute", { currency: "xmr", txid: hash, amount: "333333.3" })).status,
    201,
  );
  assert.equal((await service.post("/contribute", {})).body.error, "token_missing");
});

eachEngineWithChain("what did not go to the project is not stored", async (service, payers) => {
  const ada = await service.register();
  const refused = async (txid: string, error: string, reason?: string) => {
    const { status, body } = await ada.post("/contribute", { currency: "xno", txid });
    assert.deepEqual([status, body.error], [422, error]);
    assert.deepEqual(body.details, reason && [{ field: "reason", problem: reason }]);
  };
  const { wallet } = payers.chain;
  const project = dev("project");
  await refused(HASH, "transaction_not_found");
  const { hash: elsewhere } = wallet.send(dev("alice"), dev("bob").key, 1n);
  await refused(elsewhere, "transaction_not_to_project", "other_account");
  payers.pay(5n);
  const { hash: outgoing } = wallet.send(project, dev("bob").key, 1n);
  await refused(outgoing, "transaction_not_to_project", "outgoing");
  wallet.send(dev("alice"), dev("escrow").key, 5n);
  const { hash: internal } = wallet.send(dev("escrow"), project.key, 1n);
  await refused(internal, "transaction_not_to_project", "internal");
  await service.sequenced();
  assert.equal((await service.get("/contributions")).body.count, 0);
});

eachEngineWithChain(
  "a doubtful transfer is not stored, and can be sent again",
  async (service, payers) => {
    const ada = await service.register();
    const { send } = payers.pay(RAW_PER_XNO);
    const doubts = [
      ["neverConfirmed", 409, "transaction_unconfirmed", /^5$/],
      ["badSignature", 503, "chain_unavailable", /^30$/],
      ["editedBalance", 503, "chain_unavailable", /^30$/],
      ["noJson", 503, "chain_unavailable", /^([5-9]|[1-9][0-9]{1,2})$/],
    ] as const;
    for (const [fault, status, error, retryAfter] of doubts) {
      payers.spoil(FAULTS[fault]);
      const answer = await ada.post("/contribute", { currency: "xno", txid: send });
      assert.deepEqual([answer.status, answer.body.error], [status, error], fault);
      assert.match(answer.headers.get("retry-after") ?? "", retryAfter, fault);
      assert.match(answer.body.message, /Nothing was stored; send the same transaction again/);
      payers.pass(10 * MINUTE_S * 1_000);
    }
    await service.sequenced();
    assert.equal((await service.get("/contributions")).body.count, 0);
    assert.ok(
      (await readLedger(service)).every(({ kind }) => kind === "agent" || kind === "genesis"),
    );
    payers.spoil(FAULTS.lyingAmount);
    const { body } = await ada.post("/contribute", { currency: "xno", txid: send });
    assert.equal(body.contribution.amount, "1", "the amount is not the node's word");
    payers.spoil(FAULTS.shiftedSignature);
    const next = { currency: "xno", txid: payers.pay(RAW_PER_XNO).send };
    assert.equal((await ada.post("/contribute", next)).status, 201, "the network takes it");
    assert.deepEqual(service.alarms, []);
  },
);

eachEngine("without a node XNO is not taken, and the rest is", async (service) => {
  const ada = await service.register();
  const { status, body } = await ada.post("/contribute", { currency: "xno", txid: HASH });
  assert.deepEqual([status, body.error], [409, "currency_not_configured"]);
  const menu = (await service.get("/currencies")).body;
  assert.deepEqual([menu.network, menu.receiving_address], [null, null]);
  const names = (list: { name: string }[]) => list.map(({ name }) => name);
  assert.deepEqual(names(menu.accepted), ["Monero", "Bitcoin", "Anything else"]);
  assert.deepEqual([menu.not_accepted[0].name, menu.not_accepted[0].currency], ["Nano", "xno"]);
});

eachEngineWithChain(
  "the menu says what is taken, where to send it and how it is checked",
  async (service) => {
    const menu = (await service.get("/currencies")).body;
    assert.equal(menu.network, "dev");
    const account = accountText(dev("project").key);
    assert.equal(menu.receiving_address, account);
    assert.equal(menu.accepted[0].address, account);
    assert.deepEqual(
      [menu.rate_source, menu.xno_usd_reference, menu.xmr_usd_reference],
      ["static:default", 0.8, 300],
    );
    for (const { currency, settlement, anonymity } of menu.accepted) {
      assert.equal(settlement, currency === "xno" ? "automatic" : "manual");
      assert.match(anonymity, /^(pseudonymous|untraceable|unknown)$/);
    }
    for (const { currency, name, anonymity } of menu.not_accepted)
      assert.deepEqual([currency, anonymity], [null, "none"], name);
  },
);
