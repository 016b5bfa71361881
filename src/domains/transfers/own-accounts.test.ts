import assert from "node:assert/strict";
import { test } from "node:test";
import { dev, never, openChainService } from "../../../test/chain-service.ts";
import { readLedger } from "../../../test/invariants.ts";
import { eachEngine } from "../../../test/service.ts";
import { accountText } from "../../platform/chain/account.ts";
import { addOwnAccount, rememberAccounts } from "./own-accounts.ts";

const [alice, bob] = [dev("alice"), dev("bob")];

eachEngine("an account that was once the network's own stays so", async (service) => {
  const { context } = service.service;
  const first = [
    { key: dev("project").key, role: "project" },
    { key: dev("escrow").key, role: "escrow" },
  ] as const;
  assert.equal(await rememberAccounts(context, first), 2);
  assert.equal(await rememberAccounts(context, first), 0, "a restart changes nothing");
  assert.equal(await rememberAccounts(context, [{ key: alice.key, role: "project" }]), 1);
  await addOwnAccount(context, { address: accountText(bob.key), role: "wallet" });
  await assert.rejects(addOwnAccount(context, { address: accountText(bob.key), role: "wallet" }), {
    code: "validation_failed",
  });
  await assert.rejects(addOwnAccount(context, { address: "nano_1", role: "wallet" }), {
    code: "validation_failed",
  });
  await service.sequenced();
  const entries = (await readLedger(service)).filter(({ kind }) => kind === "own_account");
  assert.deepEqual(
    entries.map(({ ref, body }) => [ref, body["role"], body["account"], body["network"]]),
    [
      ["1", "project", accountText(dev("project").key), "live"],
      ["2", "escrow", accountText(dev("escrow").key), "live"],
      ["3", "project", accountText(alice.key), "live"],
      ["4", "wallet", accountText(bob.key), "live"],
    ],
  );
  const seller = await service.register();
  const address = accountText(alice.key);
  const refused = await seller.post("/market/payout-address", { address });
  assert.deepEqual(
    [refused.status, refused.body.details],
    [422, [{ field: "address", problem: "is an account of this network" }]],
  );
});

test("money that moves among own accounts, old and new, is internal", async (t) => {
  const project = dev("project").key;
  const own = [project, dev("escrow").key];
  const { chain, adapter } = await openChainService(t, undefined, { own: () => own });
  const sent = [1n, 2n].map((amount) => chain.wallet.send(alice, project, amount).hash);
  const lookUp = (n: number) => adapter.lookup(sent[n] ?? "", project, never);
  assert.equal((await lookUp(0)).kind, "credited");
  own.push(alice.key);
  assert.deepEqual(await lookUp(1), { kind: "not_to_account", reason: "internal" });
});
