import assert from "node:assert/strict";
import { operate } from "../../../test/operator.ts";
import { eachEngine } from "../../../test/service.ts";
import { days, HOUR_S } from "../../platform/kernel/time.ts";

eachEngine("a wave of registrations is listed until its rewards have matured", async (tested) => {
  const { service, register, pass } = tested;
  const waves = async () => {
    const { rows } = (await operate(service, "agent waves")).facts;
    assert.ok(Array.isArray(rows));
    return rows.map(({ agents, coins_micro }) => [agents, coins_micro]);
  };
  const claims = async (count: number) => {
    for (let i = 0; i < count; i++) {
      const agent = await register();
      const app = { name: `Page ${i}`, description: "It shows a number.", kind: "tool" };
      assert.equal(
        (await agent.post("/app", { ...app, homepage: "https://a.example" })).status,
        201,
      );
    }
  };
  await claims(19);
  pass(HOUR_S);
  await claims(20);
  assert.deepEqual(await waves(), [[20, 2_000_000]]);
  pass(days(20));
  assert.deepEqual(await waves(), []);
});
