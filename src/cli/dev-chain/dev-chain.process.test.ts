import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type RunningService, runCairn, runHere, startService } from "../../../test/process.ts";
import { clientOf } from "../../../test/service.ts";
import { endOf } from "../command/runner.ts";
import { devChain } from "./dev-chain.ts";

/** A data folder that goes away. */
function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "cairn-dev-chain-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A service on the dev chain, at any free port. */
async function serviceIn(t: TestContext, dataDir: string): Promise<RunningService> {
  const service = await startService({
    CAIRN_DATA_DIR: dataDir,
    CAIRN_DEV_CHAIN: "on",
    CAIRN_DEV_CHAIN_PORT: "0",
    CAIRN_LOG_LEVEL: "warn",
  });
  t.after(() => service.stop("SIGKILL"));
  return service;
}

test("a newcomer watches a contribution being checked, also after a restart", async (t) => {
  const dataDir = folderFor(t);
  const first = await serviceIn(t, dataDir);
  const devChain = (...args: string[]) =>
    runHere(["dev-chain", ...args, "--data-dir", dataDir], {});
  const { code, out } = await devChain("send", "--to", "project", "--amount", "1.5");
  assert.equal(code, 0);
  const [, hash = ""] = /^([0-9A-F]{64})\n/.exec(out) ?? [];
  assert.ok(
    out.includes(`-d '{"currency":"xno","txid":"${hash}"}' ${first.url}/api/v1/contribute`),
  );
  const sent = await devChain("send", "--to", "project", "--amount", "7", "--raw", "--json");
  const { ok, hash: second } = JSON.parse(sent.out);
  assert.equal(ok, true);

  const { post, get } = clientOf(first.url);
  const { token } = (await post("/register", {})).body;
  const contribute = (at: RunningService, txid: string) =>
    clientOf(at.url).post("/contribute", { currency: "xno", txid }, { token });
  const { status, body } = await contribute(first, hash);
  assert.equal(status, 201, JSON.stringify(body));
  assert.equal(body.contribution.amount, "1.5");
  assert.equal(body.contribution.verification.state, "checked");
  assert.equal((await get("/currencies")).body.network, "dev");

  const ports = ["--port", "0", "--admin-port", "0", "--dev-chain-port", "0"];
  const twin = await runCairn(["serve", "--dev-chain", "--data-dir", dataDir, ...ports], {});
  assert.notEqual(twin.code, 0);
  assert.match(twin.err, /Another service runs on the data folder /);
  assert.equal((await devChain("accounts")).code, 0, "the first one is still found");

  assert.equal(await first.stop("SIGTERM"), 0);
  const away = await devChain("accounts");
  assert.deepEqual([away.code, away.out], [5, ""]);
  assert.match(away.err, /^No dev chain runs on the data folder /);

  const again = await serviceIn(t, dataDir);
  const accounts = await devChain("accounts");
  assert.match(
    accounts.out,
    /^project +nano_1xciemp\w+ 0 \(\+1\.500000000000000000000000000007\)$/m,
  );
  assert.equal((await contribute(again, second)).status, 201);
  assert.equal((await contribute(again, hash)).body.error, "already_recorded");
  assert.equal((await devChain("receive", "project")).out.trim().split("\n").length, 2);
  assert.equal((await devChain("receive", "project")).out.trim(), "Nothing waits.");
  const poor = await devChain("send", "--to", "bob", "--from", "escrow", "--amount", "1");
  assert.deepEqual([poor.code, poor.err], [1, "The dev chain refused: Insufficient balance.\n"]);

  assert.equal(await again.stop("SIGTERM"), 0);
  const live = await runCairn(["serve", "--port", "0", "--admin-port", "0", "--data-dir", dataDir]);
  assert.equal(live.code, 1);
  assert.match(live.err, /^This database was begun on the dev chain; start with --dev-chain/);
});

test("wrong usage is told with exit code 2", async () => {
  for (const [args, sentence] of [
    [["send", "--to", "project"], /needs --to and --amount/],
    [["send", "--to", "nobody", "--amount", "1"], /--to is a Nano account, or one of genesis,/],
    [["send", "--to", "project", "--amount", "-1"], /--amount/],
    [["send", "--to", "project", "--amount", "1e3"], /--amount is above 0/],
    [["send", "--to", "project", "--amount", "1.5", "--raw"], /--amount is a whole number/],
    [["send", "--to", "project", "--amount", "1", "--from", "zoe"], /--from is one of/],
    [["receive"], /Name one of/],
    [["mine"], /"mine"; allowed is send, receive or accounts/],
    [["accounts", "more"], /Too many words/],
    [["accounts", "--fast"], /--fast/],
  ] as const) {
    const { exit_code, text } = await endOf(devChain, args);
    assert.equal(exit_code, 2);
    assert.match(text, sentence);
  }
  const { code, err } = await runCairn(["dev-chain", "mine"]);
  assert.deepEqual([code, err.trim().endsWith("See `cairn dev-chain --help`.")], [2, true]);
  const { out } = await runCairn(["dev-chain", "--help"]);
  assert.match(out, /^usage: cairn dev-chain/);
});
