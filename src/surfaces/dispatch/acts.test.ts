import assert from "node:assert/strict";
import { newPair, setKey } from "../../../test/act-keys.ts";
import { operations } from "../../../test/registry.ts";
import { eachEngine } from "../../../test/service.ts";
import { authenticator } from "../../domains/identity/tokens.ts";
import { offerWithdrawn } from "../../domains/market/entries.ts";
import { append } from "../../platform/ledger/append.ts";
import { signing } from "./acts.ts";
import { stepping } from "./write-steps.ts";

eachEngine("a write of an agent with an act key makes one act at most", async (service) => {
  const { context, store } = service.service;
  const ada = await service.register("ada");
  await setKey(ada, newPair());
  const operation = operations.find(({ name }) => name === "market.withdraw");
  assert.ok(operation);
  const { generation } = store;
  const agent = await authenticator({ ...context, generation }).authenticate(ada.token);
  const call = { agent, operation, path: operation.path, input: {} };
  const withdrawing = (...ids: readonly number[]) =>
    stepping(
      context.write,
      signing(context, call),
    )(async (tx) => {
      for (const offer_id of ids) append(tx, offerWithdrawn, { offer_id });
    });
  await assert.rejects(withdrawing(1), { code: "act_unsigned" });
  await assert.rejects(withdrawing(1, 2), /A signature is for one act/);
});
