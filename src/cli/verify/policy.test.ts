import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { test } from "node:test";
import { operate } from "../../../test/operator.ts";
import { openTestService } from "../../../test/service.ts";
import { newFile, verifyJson, verifyRun } from "../../../test/verify-run.ts";
import { serveWitness, witnessOf } from "../../../test/witness-server.ts";
import { currentLog } from "../../domains/tlog/log.ts";
import { sharedJobs } from "../../main/jobs/shared.ts";
import { vkeyOf } from "../../platform/kernel/tlog/note.ts";
import { endOf } from "../../verify/shell.ts";

test("a chain is witnessed up to where the policy's witnesses have seen it", async (t) => {
  const logs: string[] = [];
  let now = () => 0;
  const witness = witnessOf("w.example", logs, () => now());
  const place = await serveWitness(witness);
  t.after(() => place.close());
  const policy = newFile();
  writeFileSync(policy, `witness w ${witness.vkey} ${place.url}\nquorum w\n`);
  const service = await openTestService("sqlite", "policy", {
    CAIRN_WITNESS_POLICY_FILE: policy,
    CAIRN_WITNESS_ALLOW_PRIVATE: "on",
  });
  t.after(() => service.close());
  now = () => service.service.clock.now();
  const ada = await service.register("ada");
  await operate(service.service, "log init");
  const log = await currentLog(service.service.store.read);
  assert(log !== null);
  logs.push(vkeyOf(log.key));
  await service.seal();
  const [asking] = sharedJobs(service.service).jobs.filter(({ name }) => name === "witnesses");
  const reader = newFile();
  await writeFile(reader, `log ${vkeyOf(log.key)}\nwitness w ${witness.vkey}\nquorum w\n`);
  const args = [service.url, "--entries", "--policy", reader];
  const early = await verifyJson(args);
  assert.equal(early.exit_code, 5, "nothing is published yet");

  await asking?.run();
  const at = service.service.clock.now();
  await ada.post("/post", { body: "later" });
  await service.seal();
  const { exit_code, report } = await verifyJson(args);
  assert.equal(exit_code, 0);
  assert.deepEqual(report["witnessed"], { through_seq: 1, through_id: 3, at, by: ["w"] });
  const { text } = await verifyRun([...args, "--state", newFile()]);
  assert.match(
    text,
    new RegExp(`Witnessed up to seal 1, entry 3, by w, since Unix second ${at}\\.`),
  );
  assert.match((await endOf(args, {})).text, /Witnessed up to seal 1, entry 3/);
  const without = await verifyRun([service.url, "--state", newFile()]);
  assert.match(without.text, /Not checked against witnesses\./);

  const stranger = witnessOf("w.example", [], () => 0);
  await writeFile(reader, `log ${vkeyOf(log.key)}\nwitness w ${stranger.vkey}\nquorum w\n`);
  const refused = await verifyJson(args);
  assert.deepEqual(
    [refused.exit_code, refused.reasons],
    [1, ["2: the log: its witnesses are no quorum"]],
  );
  // Witnesses have seen another history than the one that is shown.
  const other = await openTestService("sqlite", "another history", {});
  t.after(() => other.close());
  const shown = new URL(service.url);
  await other.seal();
  await writeFile(reader, `log ${vkeyOf(log.key)}\nwitness w ${witness.vkey}\nquorum w\n`);
  const lying = await serveWitness(witness, () => null);
  t.after(() => lying.close());
  lying.say((_, res) => {
    const path = lying.requests.at(-1)?.split(" ")[1] ?? "";
    const from = path.startsWith("/tlog") ? shown.origin : other.url;
    void fetch(from + path).then(async (answer) => {
      res.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text());
    });
    return null;
  });
  const fork = await verifyJson([lying.url, "--entries", "--policy", reader]);
  assert.equal(fork.exit_code, 1);
  assert.match(fork.reasons.join(), /no seal ends with entry 3|another history/);
  assert.equal((await verifyJson([newFile(), "--policy", reader])).exit_code, 2);
});
