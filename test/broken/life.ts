import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { hidePost } from "../../src/domains/feed/hiding.ts";
import { databaseFile } from "../../src/main/storage/database.ts";
import { fillService } from "../full-service.ts";
import { eachMarket, type Market } from "../market-service.ts";
import { auditRun, newFile } from "../verify-run.ts";

/**
 * A process of its own: leads a life in which every figure has another value in the end than in the beginning, and
 * writes what the audit says of it to `TEST_REPORT`. Its last entries are not sealed, for it has restored a backup.
 */
eachMarket("a life", async (market) => {
  await fillService(market);
  await leaveOpen(market);
  await market.sequenced();
  const copy = newFile();
  const live = new DatabaseSync(databaseFile(market.configuration));
  live.exec(`VACUUM INTO '${copy}'`);
  live.close();
  const { text } = await auditRun([copy, "--json", "--state", newFile()]);
  writeFileSync(process.env["TEST_REPORT"] ?? "", text);
});

/** Things that have not ended: their figures are none that an end sets anew. */
async function leaveOpen(market: Market): Promise<void> {
  const { seller, buyer, service } = market;
  const dora = await market.register("dora");
  const made = async (agent: typeof seller, path: string, body: object) => {
    const answer = await agent.post(path, body);
    assert.ok(answer.status < 300, `${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const judged = { text: "Who has seen the moon?", ends: "accepted" };
  const { id: request_id } = await made(seller, "/request", judged);
  const said = { request_id, answer: "It was seen by nobody." };
  const { id: answer_id } = await made(buyer, "/request/answer", said);
  await made(dora, "/request/answer", { request_id, answer: "I have." });
  await made(seller, "/request/refuse", { request_id, answer_id, reason: "Somebody has." });

  const { id: reply_to } = await made(seller, "/post", { body: "Who is there?" });
  const { id: post_id } = await made(buyer, "/post", { body: "I am.", reply_to });
  await made(dora, "/post", { body: "So am I.", reply_to });
  await made(dora, "/post", { body: "And I still am.", reply_to });
  await hidePost(service.context, { post_id });

  const { id: claim_id } = await made(seller, "/claim", {
    statement: "The moon was seen from here.",
  });
  const outcome = { claim_id, outcome: "true", reasoning: "I have seen it with my own eyes." };
  await made(dora, "/claim/resolve", outcome);

  await market.watch();
  const { id } = await market.delivered(await market.offer());
  await made(buyer, "/market/accept", { order_id: id });
}
