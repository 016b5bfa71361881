import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { openConsole, reportedPost } from "./console-service.ts";
import { eventually } from "./postgres-store.ts";
import { runHere } from "./process.ts";
import { urlOf } from "./service.ts";

test("a condition is told the same by notices, log, console, metrics and doctor", async (t) => {
  const told: Record<string, unknown>[] = [];
  const receiver = createServer(async (request, response) => {
    const body = await Array.fromAsync(request);
    told.push(JSON.parse(Buffer.concat(body).toString()));
    response.writeHead(204).end();
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  t.after(() => receiver.close());
  const console = await openConsole(t, "read", { CAIRN_ALARM_WEBHOOK: urlOf(receiver.address()) });
  const { variables, port, service } = console;
  const { cookie, base } = await console.session();
  const overview = async () => (await fetch(base, { headers: { cookie } })).text();
  await reportedPost(console);
  assert.match(await overview(), /All is well\./);

  const db = new DatabaseSync(join(variables.CAIRN_DATA_DIR, "cairn.db"), { timeout: 5_000 });
  db.exec("UPDATE report SET created_at = created_at - 3 * 86400");
  db.close();
  await eventually(() => told.length > 0);
  const [{ alert, state, sentence, advice, runbook } = {}] = told;
  assert.deepEqual([alert, state], ["CairnReportsWait", "raised"]);
  assert.equal(sentence, "A report has waited for 3.0 days.");
  assert.equal(runbook, "docs/operating/troubleshoot.md#reports-wait");

  const logged = () =>
    service
      .output()
      .split("\n")
      .find((each) => each.includes("CairnReports"));
  await eventually(() => logged() !== undefined);
  const line = JSON.parse(logged() ?? "");
  assert.deepEqual([line.level, line.sentence, line.advice], ["error", sentence, advice]);
  const page = await overview();
  assert.doesNotMatch(page, /All is well\./);
  assert.ok(page.includes(`${sentence} ${advice}`), "the console");
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  assert.match(metrics, /^cairn_oldest_report_seconds 259\d{3}$/m);
  const { findings } = JSON.parse((await runHere(["doctor", "--json"], variables)).out);
  const found = findings.find(({ about }: { about: string }) => about === "reports");
  assert.deepEqual([found.state, found.text], ["warning", sentence]);
  assert.equal(found.advice, `${advice} See ${runbook}.`);
});
