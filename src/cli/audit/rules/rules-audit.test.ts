import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fillService } from "../../../../test/full-service.ts";
import { eachMarket, type Market } from "../../../../test/market-service.ts";
import { ENGINES, openTestService, type TestService } from "../../../../test/service.ts";
import { auditRun, newFile, verifyRun } from "../../../../test/verify-run.ts";
import * as feed from "../../../domains/feed/entries.ts";
import { rulesCheck } from "../../../main/jobs/rules-check.ts";
import { days } from "../../../platform/kernel/time.ts";
import { append } from "../../../platform/ledger/append.ts";
import * as entries from "../../../platform/ledger/entries.ts";
import { RULES } from "../../../platform/ledger/rules.ts";
import { UNKNOWN_RULES } from "../../../verify/rules.ts";

interface Line {
  readonly id: number;
  readonly at: number;
  readonly kind: string;
  readonly ref: string;
  readonly body: Readonly<Record<string, string | number>>;
  readonly entry?: string;
  readonly leaf?: string;
}

const yieldToRequests = async () => {};

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
    assert.deepEqual([exit_code, report.unknown.entries], [UNKNOWN_RULES, rest.length]);
    const { text } = await auditRun(["--entries", newer]);
    assert.match(text, /^.*\b1 of [\d,]+ entries were allowed\. The others follow rules/m);

    // One entry that switches all rules off, and 49,000,000 coins for an application that does not exist.
    const { file: stolen, claimed } = stealing(bare);
    const thief = await entriesRun(stolen);
    assert.deepEqual([thief.exit_code, thief.broken], [UNKNOWN_RULES, [claimed - 1, claimed]]);
    const said = await auditRun(["--entries", stolen]);
    assert.match(said.text, NOT_ALLOWED);
    assert.match(said.text, /^ {2}It says \{.*"source":"app\/909090"/m);
    assert.match(said.text, /^ {2}Before it: act_at none, today \d+, pool \d+$/m);
    assert.match(said.text, /^The rules of each kind: docs\/reference\/rules\.md\.$/m);
    assert.match(
      said.text,
      /entries were allowed\. The others follow .* Rules 1 refuse 2 of them\./,
    );
    assert.doesNotMatch(said.text, /All [\d,]+ entries were allowed/);

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

const NOT_ALLOWED =
  /^Entry \d+ is not allowed by rules 1; later rules 2 are unknown: coin_reward 9090: No entry before it says/m;

/** A ledger that goes on with later rules, and with coins for nothing. */
function stealing(lines: readonly ReturnType<typeof bareOf>[]) {
  const { id = 0, at = 0 } = lines.at(-1) ?? {};
  const agent = lines.find(({ kind }) => kind === "agent")?.ref ?? "";
  const of = { agent, amount_micro: 49_000_000_000_000 };
  const granted = { granted_at: at, matures_at: at + days(20), expires_at: at + days(40) };
  const why = { why: "app", source: "app/909090" };
  const added = [
    { kind: "rules_adopted", ref: `${RULES + 1}`, body: { rules: RULES + 1 } },
    { kind: "coin_reward", ref: "9090", body: { entitlement_id: 9090, ...of, ...why, ...granted } },
    {
      ...{ kind: "coin_claim", ref: "9090" },
      body: { coin_claim_id: 9090, ...of, count: 1, entitlements: "9090", made_at: at },
    },
  ];
  const whole = [...lines, ...added.map((each, i) => ({ id: id + 1 + i, at, ...each }))];
  return { file: saved(whole), claimed: id + 3 };
}

for (const engine of ENGINES)
  test(`later rules are told by every check, and this version writes nothing there [${engine}]`, async () => {
    const tested = await openTestService(engine, "later rules");
    const { service, sequenced, seal, url, alarms } = tested;
    try {
      const ada = await tested.register("ada");
      assert.equal((await ada.post("/post", { topic: "prime", text: "Before." })).status, 201);
      await tested.get("/quorum"); // Asks the question of the week, which no entry can afterwards.
      await service.context.write(async (tx) =>
        append(tx, entries.rulesAdopted, { rules: RULES + 1 }),
      );
      await sequenced();

      const refused = await ada.post("/post", { topic: "prime", text: "Too late." });
      assert.deepEqual([refused.status, refused.body.error], [503, "storage_unavailable"]);
      const sentence =
        "The ledger follows rules 2, and this program knows rules 1: its operator has to start a newer version.";
      assert.ok(refused.body.message.startsWith(sentence), refused.body.message);
      assert.equal(service.whyRefused(), sentence);
      await assert.rejects(
        service.upkeep.write(async (tx) => append(tx, entries.heartbeat, { after_id: 1 })),
        { code: "storage_unavailable" },
        "nothing gets past it",
      );
      assert.deepEqual(alarms, ["rules_unknown"]);
      assert.equal((await tested.get(`/agent/${ada.agent_id}`)).status, 200);
      await seal();

      const check = rulesCheck();
      const told = () => check.run({ read: service.context.read, yieldToRequests });
      const [found, ...others] = await told();
      assert.deepEqual([found?.kind, found?.ref, others], ["rules_adopted", "2", []]);
      assert.deepEqual(await told(), []);

      const state = () => ["--state", newFile()];
      assert.equal((await verifyRun([url, ...state()])).exit_code, 0);
      const ruled = await verifyRun([url, "--rules", ...state()]);
      assert.equal(ruled.exit_code, UNKNOWN_RULES);
      assert.match(
        ruled.text,
        /^The chain verifies, but whether every entry was allowed is not known\.$/m,
      );
      const audited = await auditRun([url, ...state()]);
      assert.equal(audited.exit_code, UNKNOWN_RULES);
      assert.match(
        audited.text,
        /figures of .* are not what this version makes of .*use a newer one\./,
      );
    } finally {
      await tested.close();
    }
  });

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
