import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { dev } from "../../../../test/chain-service.ts";
import { matchesGoldenJson } from "../../../../test/golden.ts";
import { accountText } from "../account.ts";
import { blockHash, isSigned, type StateBlock, signed } from "../block.ts";
import { answerTo, type DevChain, openDevChain } from "./node.ts";
import { contentsJson } from "./shapes.ts";

const XNO = 10n ** 30n;

const inMemory = (): DevChain => openDevChain({ file: null, confirmAfter_ms: 0, now_ms: () => 0 });

// The wire's shapes are the subject here, so answers are read freely.
// biome-ignore lint/suspicious/noExplicitAny: see above
const ask = (chain: DevChain, call: object): any => answerTo(chain, JSON.stringify(call))[1];

test("the keys, the first block and a first send are the published ones", () => {
  const chain = inMemory();
  const accounts = {
    genesis: "nano_3fku441frn6i9wrrba83piacand6uxnob19c66m1tcn6qi8zu1jqbybyu8fu",
    project: "nano_1xciempdrmfgj6hfizhhnyoedr85tss69gxcsk9tm983sxqfs7fkr664eb6g",
    escrow: "nano_1tdi89wrgkg7rdu43g7f79o6zym1mbn9td65gkhw6b81dcc13xikt8m4axyu",
    alice: "nano_1cmsu1oekrihoxtkoaocn7xuscjpyr95uj9t8zj5t4uqpnhs5exrnk1ajxg6",
  };
  for (const [name, text] of Object.entries(accounts))
    assert.equal(accountText(dev(name).key), text);
  assert.equal(chain.genesis, "99B49E643B6D1264693BAA81666318E5D61F1FFCA3D1C74174F8EEF8B169307F");
  assert.equal(
    chain.ledger.block(chain.genesis)?.block.signature,
    "617D2BE0729960F8AAE38E041056BAECCB02C3FEC4454D8517B8FBF4FE444E9C675357AB9C1E014527123433B75AB96D8430CDEF44D679DB0DA9C646F0EA140A",
  );
  const { hash, block } = chain.wallet.send(dev("genesis"), dev("project").key, XNO);
  assert.equal(hash, "E2027280824592D3F14F7E945FDE8D76523F7A72B497E61822B4C376D3B61B06");
  assert.ok(isSigned(hash, block.signature, dev("genesis").key));
});

test("no block makes or loses money", () => {
  const chain = inMemory();
  const { hash: gift } = chain.wallet.send(dev("alice"), dev("bob").key, 100n);
  const bob = dev("bob");
  const open: StateBlock = {
    type: "state",
    account: bob.key,
    previous: "0".repeat(64),
    representative: bob.key,
    balance: 100n,
    link: gift,
  };
  const error = (block: StateBlock, by = bob, digit = "") => {
    const signature = signed(blockHash(block), by.privateKey);
    const contents = contentsJson({ ...block, signature: digit + signature.slice(digit.length) });
    return ask(chain, { action: "process", json_block: "true", block: contents }).error;
  };
  assert.equal(error({ ...open, balance: 101n }), "Balance and amount delta do not match");
  assert.equal(error({ ...open, balance: 99n }), "Balance and amount delta do not match");
  assert.equal(error({ ...open, link: "AB".repeat(32) }), "Unreceivable");
  assert.equal(error({ ...open, previous: "AB".repeat(32) }), "Gap previous block");
  assert.equal(error({ ...open, previous: gift }), "Fork");
  assert.equal(error(open, dev("carol")), "Bad signature");
  assert.equal(error({ ...open, balance: 0n, link: "0".repeat(64) }), "Unreceivable");
  assert.equal(error(open), undefined);
  assert.equal(error(open), "Old block");
  const next = { ...open, previous: blockHash(open) };
  assert.equal(error({ ...next, balance: 200n }), "Unreceivable");
  assert.equal(error({ ...next, link: "AB".repeat(32) }), "Balance and amount delta do not match");
  assert.equal(error({ ...next, link: "0".repeat(64) }), undefined, "a change");
  assert.equal(chain.ledger.balanceOf(bob.key), 100n);
});

test("an impossible send is refused", () => {
  const chain = inMemory();
  const send = (call: object) =>
    ask(chain, { action: "dev_send", from: "alice", to: "project", amount_raw: "1", ...call })
      .error;
  assert.equal(send({}), undefined);
  assert.equal(send({ from: "project", amount_raw: "2" }), "Insufficient balance");
  assert.equal(send({ amount_raw: "0" }), "Insufficient balance");
  assert.equal(send({ amount_raw: String(2_000_000n * XNO) }), "Insufficient balance");
  assert.equal(send({ amount_raw: "1.5" }), "Bad amount number");
  assert.equal(send({ from: "mallory" }), "Unknown dev account");
  assert.equal(send({ to: "nano_1" }), "Bad account number");
});

test("answers have the quirks of nodes", () => {
  const chain = inMemory();
  const account = accountText(dev("project").key);
  assert.deepEqual(ask(chain, { action: "receivable", account }), { blocks: "" });
  assert.equal(ask(chain, { action: "account_history", account, count: "5" }).history, "");
  assert.deepEqual(ask(chain, { action: "account_info", account }), { error: "Account not found" });
  assert.deepEqual(ask(chain, { action: "mine" }), { error: "Unknown command" });
  assert.deepEqual(ask(chain, { action: "constructor" }), { error: "Unknown command" });
  assert.equal(ask(chain, { action: "block_info", hash: "5" }).error, "Invalid block hash");
  assert.deepEqual(answerTo(chain, "{")[1], { error: "Unable to parse JSON" });
  const [small = "", large = ""] = [3n, 9n].map(
    (amount) => chain.wallet.send(dev("alice"), dev("project").key, amount).hash,
  );
  const receivable = (more: object) =>
    ask(chain, { action: "receivable", account, ...more }).blocks;
  assert.deepEqual(receivable({}), [small, large]);
  assert.deepEqual(receivable({ threshold: "1" }), { [small]: "3", [large]: "9" });
  assert.deepEqual(Object.keys(receivable({ threshold: "1", sorting: "true" })), [large, small]);
  assert.equal(receivable({ threshold: "5", offset: "1" })[large], "9");
  assert.equal(receivable({ threshold: "5", offset: "1", sorting: "true" }), "");
  assert.deepEqual(receivable({ threshold: "5", source: "true" }), {
    [large]: { amount: "9", source: accountText(dev("alice").key) },
  });
  const texts = JSON.stringify(
    ask(chain, { action: "blocks_info", hashes: [small], json_block: "true" }),
  );
  assert.doesNotMatch(texts, /:(?:[0-9]|true|false|null)/, "only texts");
  const { contents } = ask(chain, { action: "block_info", hash: small });
  assert.equal(typeof contents, "string");
});

test("an unconfirmed send is not receivable yet", () => {
  const chain = openDevChain({ file: null, confirmAfter_ms: 10, now_ms: () => 0 });
  const { hash } = chain.wallet.send(dev("alice"), dev("project").key, 3n);
  const exists = (more: object) =>
    ask(chain, { action: "receivable_exists", hash, ...more }).exists;
  assert.equal(exists({}), "0");
  assert.equal(exists({ include_only_confirmed: "false" }), "1");
  assert.equal(ask(chain, { action: "dev_confirm", hash }).confirmed, "true");
  assert.equal(exists({}), "1");
});

/** A file of a chain, in a folder that goes away. */
function chainFile(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), "cairn-dev-chain-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "data", "dev-chain.ndjson");
  const open = () => openDevChain({ file, confirmAfter_ms: 1e9, now_ms: () => 0 });
  return { file, open };
}

test("a restart keeps the chain, and confirms it", (t) => {
  const { file, open } = chainFile(t);
  const { wallet } = open();
  const { hash } = wallet.send(dev("alice"), dev("project").key, 5n);
  wallet.receive(dev("project"));
  appendFileSync(file, '{"type":"state"'); // A line that was being written when the power went.
  const again = open();
  assert.equal(again.ledger.balanceOf(dev("project").key), 5n);
  assert.ok(again.ledger.isConfirmed(hash));
  again.wallet.send(dev("alice"), dev("project").key, 6n);
  assert.equal(open().ledger.receivable(dev("project").key)[0]?.amountRaw, 6n);
});

test("a file that is no chain ends the start with a sentence", (t) => {
  const { file, open } = chainFile(t);
  open().wallet.send(dev("alice"), dev("project").key, 5n);
  const lines = readFileSync(file, "utf8").split("\n");
  for (const wrong of ["nonsense", lines[0], '{"type":"receive"}']) {
    writeFileSync(file, [...lines.slice(0, -1), wrong, ""].join("\n"));
    assert.throws(
      open,
      /^Error: Line 4 of .+ is not the dev chain's next block\. Remove the whole data folder/,
    );
  }
});

test("a transcript of the dev chain is what it was", () => {
  const chain = inMemory();
  const account = accountText(dev("project").key);
  const hash = "E2027280824592D3F14F7E945FDE8D76523F7A72B497E61822B4C376D3B61B06";
  const calls = [
    { action: "version" },
    { action: "dev_send", from: "genesis", to: "project", amount_raw: String(XNO) },
    { action: "receivable", account, source: "true", threshold: "1", sorting: "true" },
    { action: "receivable_exists", hash },
    { action: "dev_receive", account: "project" },
    {
      action: "blocks_info",
      hashes: [hash, "00".repeat(32)],
      json_block: "true",
      include_not_found: "true",
    },
    { action: "block_info", hash },
    { action: "account_history", account, count: "1", raw: "true" },
    { action: "account_history", account, count: "1" },
    { action: "account_info", account },
    { action: "block_count" },
    { action: "telemetry" },
    { action: "dev_accounts" },
  ];
  matchesGoldenJson(
    "dev-chain.json",
    calls.map((call) => ({ call, answer: ask(chain, call) })),
  );
});
