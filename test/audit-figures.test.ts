import assert from "node:assert/strict";
import { auditRun } from "../src/cli/audit.ts";
import { newFile } from "./verify-run.ts";
import { eachEngine } from "./world.ts";

/** The most that an application may declare; nine of them pass 2^53 millionths. */
const VALUATION = "999999999.999999";

eachEngine("an audit allows a sum the digits that a JSON number has", async (world) => {
  const agent = await world.register("ada");
  for (let n = 1; n <= 9; n++) {
    const app = { name: `v${n}`, description: "d", homepage: "https://x.example" };
    const { status } = await agent.post("/app", { ...app, valuation_usd: VALUATION });
    assert.equal(status, 201);
  }
  await world.seal();
  const { exit_code, text } = await auditRun([world.url, "--state", newFile()]);
  assert.equal(exit_code, 0, text);
  assert.match(text, / {2}= {2}applications_declared_value_usd {2}8999999999\.99999\d?\n/);
});
