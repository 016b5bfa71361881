import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fillService } from "../../../../test/full-service.ts";
import { eachMarket, type Market } from "../../../../test/market-service.ts";
import { ENGINES, openTestService, type TestService } from "../../../../test/service.ts";
import { auditRun, newFile, verifyRun } from "../../../../test/verify-run.ts";
import * as feed from "../../../feed/entries.ts";
import { append } from "../../../ledger/append.ts";
import { RULES } from "../../../ledger/rules.ts";
import { rulesCheck } from "../../../main/jobs/rules-check.ts";

interface Line {
  readonly id: number;
  readonly at: number;
  readonly kind: string;
  readonly ref: string;
  readonly body: Readonly<Record<string, string | number>>;
  readonly entry?: string;
  readonly leaf?: string;
}

/** The whole ledger, as `GET /since?with=entry` gives it. */
async function linesOf({ get }: Pick<Market, "get">): Promise<readonly Line[]> {
  const lines: Line[] = [];
  for (;;) {
    const { body } = await get(`/since?after_id=${lines.length}&limit=1000&with=entry`);
    lines.push(...body.entries);
    if (!body.more) return lines;
  }
}

function saved(lines: readonly object[]): string {
  const file = newFile();
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return file;
}

/** As a public log stores entries: each behind its length, 256 in a file. */
function bundled(lines: readonly Line[]): readonly Buffer[] {
  const bundles: Buffer[] = [];
  for (let from = 0; from < lines.length; from += 256) {
    const parts = lines.slice(from, from + 256).flatMap(({ entry = "" }) => {
      const text = Buffer.from(entry);
      const length = Buffer.alloc(2);
      length.writeUInt16BE(text.length);
      return [length, text];
    });
    bundles.push(Buffer.concat(parts));
  }
  return bundles;
}

function savedBundle(bundle: Buffer): string {
  const file = newFile();
  writeFileSync(file, bundle);
  return file;
}

/** A log's folder, of which the last bundle is there twice: once as it was when it was shorter. */
function savedLog(bundles: readonly Buffer[], entries: number): string {
  const folder = join(newFile(), "tile/entries");
  mkdirSync(folder, { recursive: true });
  for (const [n, bundle] of bundles.entries()) {
    const name = String(n).padStart(3, "0");
    const width = Math.min(256, entries - n * 256);
    if (width === 256) writeFileSync(join(folder, name), bundle);
    else {
      mkdirSync(join(folder, `${name}.p`));
      writeFileSync(join(folder, `${name}.p`, `${width}`), bundle);
      const first = bundle.subarray(0, 2 + bundle.readUInt16BE(0));
      writeFileSync(join(folder, `${name}.p`, "1"), first);
    }
  }
  return join(folder, "../..");
}

async function entriesRun(file: string, ...more: readonly string[]) {
  const { exit_code, text } = await auditRun(["--entries", file, "--json", ...more]);
  const report = JSON.parse(text);
  const breaches: readonly { ledger_id: number; rule: string }[] = report.breaches ?? [];
  return { exit_code, report, broken: breaches.map(({ ledger_id }) => ledger_id) };
}

const bareOf = ({ id, at, kind, ref, body }: Partial<Line>) => ({ id, at, kind, ref, body });

eachMarket(
  "entries alone are audited: as lines, as a bundle, as a log's folder",
  async (market) => {
    await fillService(market);
    const lines = await linesOf(market);
    const bundles = bundled(lines);
    const bare = lines.map(bareOf);
    const [first = Buffer.alloc(0)] = bundles;
    for (const [file, entries] of [
      [saved(lines), lines.length],
      [saved(bare), lines.length],
      [savedBundle(first), Math.min(lines.length, 256)],
      [savedLog(bundles, lines.length), lines.length],
    ] as const) {
      const { exit_code, report } = await entriesRun(file);
      // A bundle may end within a write, whose other entries are then owed.
      if (entries === lines.length) assert.deepEqual([exit_code, report.breaches], [0, []]);
      assert.equal(report.entries, entries);
    }

    const post = lines.findIndex(({ kind, body }) => kind === "post" && body["reply_to"]);
    const { id = 0, body = {} } = lines[post] ?? {};
    const replied = { ...bare[post], body: { ...body, reply_to: 999_999 } };
    const forged = await entriesRun(saved(bare.with(post, replied as (typeof bare)[number])));
    assert.deepEqual([forged.exit_code, forged.broken], [1, [id]], "a rule is broken");

    const edited = { ...lines[post], body: replied.body };
    const unlike = await entriesRun(saved(lines.with(post, edited as Line)));
    assert.equal(unlike.exit_code, 1, "its fields are not those of its sealed text");
    assert.ok(unlike.broken.includes(id));

    const missing = await entriesRun(saved(bare.toSpliced(post, 1)));
    assert.equal(missing.exit_code, 1, "ids are dense");

    const [genesis, ...rest] = lines;
    const later = { ...genesis, body: { ...genesis?.body, rules: RULES + 1 } };
    const newer = saved([later, ...rest].map(bareOf));
    const { exit_code, report } = await entriesRun(newer);
    const unknown = report.words["entries under rules that this program does not know"];
    assert.deepEqual([exit_code, unknown], [0, rest.length], "nothing is said of them in silence");
    const { text } = await auditRun(["--entries", newer]);
    assert.match(text, /^.*\b1 of [\d,]+ entries were allowed\. The others follow rules/m);

    for (const text of ["", "no JSON\n", '{"id":1}\n', "[]\n"]) {
      const file = newFile();
      writeFileSync(file, text);
      assert.equal((await entriesRun(file)).exit_code, 5, JSON.stringify(text));
    }
    assert.equal((await entriesRun(savedBundle(first.subarray(0, -3)))).exit_code, 5);
    assert.equal((await entriesRun(newFile())).exit_code, 5, "there is no such file");
    assert.equal((await auditRun(["--entries", saved(bare), "also"])).exit_code, 2);
  },
);

/** An entry that no rule allows, and that no row shows. */
async function breach({ service, sequenced, get }: TestService): Promise<number> {
  const hidden = { post_id: 999 };
  await service.context.write(async (tx) => append(tx, feed.postHidden, hidden, 1));
  await sequenced();
  const lines = await linesOf({ get });
  return lines.at(-1)?.id ?? 0;
}

for (const engine of ENGINES)
  test(`a breach raises the alarm until it is acknowledged, and is shown for ever [${engine}]`, async () => {
    const tested = await openTestService(engine, "acknowledged");
    const { dataDir, databaseUrl } = tested.configuration;
    const environment = {
      CAIRN_DATA_DIR: dataDir,
      CAIRN_ORIGIN: "test.example/network",
      CAIRN_DATABASE_URL: databaseUrl ?? "",
    };
    const acknowledge = (id: number) =>
      auditRun(["--acknowledge", `${id}`, "--reason", "A trial."], environment);
    const { context } = tested.service;
    const yieldToRequests = async () => {};
    const check = rulesCheck();
    const told = () => check.run({ read: context.read, yieldToRequests });
    try {
      await tested.register("ada");
      await tested.sequenced();
      assert.deepEqual(await told(), []);
      const id = await breach(tested);
      const [violation, ...others] = await told();
      assert.deepEqual([violation?.ledger_id, others], [id, []]);
      assert.deepEqual(await told(), [], "it is told once");

      assert.notEqual((await acknowledge(id + 1)).exit_code, 0, "there is no such entry");
      assert.equal((await acknowledge(id)).exit_code, 0);
      assert.notEqual((await acknowledge(id)).exit_code, 0, "once is enough");
      await tested.sequenced();
      const restarted = rulesCheck();
      assert.deepEqual(await restarted.run({ read: context.read, yieldToRequests }), []);

      const file = saved(await linesOf(tested));
      const shown = await entriesRun(file);
      assert.deepEqual([shown.exit_code, shown.broken], [1, [id]]);
      assert.equal(shown.report.breaches[0].acknowledged, true);
      const accepted = await entriesRun(file, "--accept-acknowledged");
      assert.deepEqual([accepted.exit_code, accepted.broken], [0, [id]]);

      await tested.seal();
      const state = () => ["--state", newFile()];
      assert.equal((await verifyRun([tested.url, ...state()])).exit_code, 0);
      const ruled = await verifyRun([tested.url, "--rules", ...state()]);
      assert.equal(ruled.exit_code, 1);
      assert.match(ruled.text, /There is no post with this id/);
    } finally {
      await tested.close();
    }
  });
