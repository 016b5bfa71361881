import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { openPlace, type Place } from "../demo/place.ts";
import { live } from "../demo/story.ts";
import { writeExport } from "../src/cli/transfer/export.ts";
import { lineOf } from "../src/cli/transfer/export-records.ts";
import { fileSnapshot } from "../src/main/storage/database.ts";
import { OCCURRENCES } from "../src/platform/context.ts";
import { editOnce } from "./audit-edits.ts";
import { dice } from "./dice.ts";
import { times } from "./postgres-store.ts";
import { runCairn } from "./process.ts";
import { auditRun, newFile, verifyJson } from "./verify-run.ts";

/** Midnight of Monday, 4 January 2027. */
const START = 1_799_020_800;

const folder = mkdtempSync(join(tmpdir(), "cairn-audit-"));
after(() => rmSync(folder, { recursive: true }));

/** A network in which agents have lived for long enough to collect coins. */
const lived = join(folder, "lived");
const database = join(lived, "cairn.db");
mkdirSync(lived);
{
  const place = await openPlace(lived, { seed: "audit-2", start: START }, assert.fail);
  await live(place, { agents: 10, days: 32 }, () => {});
  await place.close();
}

const ROUNDS = Number(process.env["TEST_ROUNDS"] ?? 25);

/** Runs `cairn audit` with `--json`, with a memory of its own. */
async function auditJson(source: string, ...args: readonly string[]) {
  const { exit_code, text } = await auditRun([source, "--json", "--state", newFile(), ...args]);
  const report = JSON.parse(text);
  assert.equal(report.exit_code, exit_code);
  return { exit_code, report };
}

/** The names of the figures that are not equal. */
// biome-ignore lint/suspicious/noExplicitAny: a report is read as its reader gets it
const unequal = (report: any): string[] =>
  // biome-ignore lint/suspicious/noExplicitAny: see above
  report.groups.flatMap(({ name, figures }: any) =>
    figures
      .filter(({ equal }: { equal: boolean }) => !equal)
      .map((figure: { name: string }) => `${name} ${figure.name}`),
  );

/** Runs something on a service that serves a copy of the network. */
async function served(
  change: (database: DatabaseSync) => void,
  run: (place: Place) => Promise<void>,
): Promise<void> {
  const copy = newFile();
  cpSync(lived, copy, { recursive: true });
  const file = new DatabaseSync(join(copy, "cairn.db"));
  change(file);
  file.close();
  const place = await openPlace(copy, { seed: "served", start: START }, () => {});
  try {
    await run(place);
  } finally {
    await place.close();
  }
}

test("an audit finds nothing in a service, its database and its export", async () => {
  await served(
    () => {},
    async ({ url }) => {
      const { exit_code, report } = await auditJson(url);
      assert.deepEqual([exit_code, unequal(report)], [0, []]);
      assert(report.compared > 70, "the public figures were compared");
    },
  );
  const copied = newFile();
  await writeExport(fileSnapshot(database), copied);
  for (const file of [database, copied]) {
    const { exit_code, report } = await auditJson(file);
    assert.deepEqual([exit_code, unequal(report)], [0, []]);
  }
});

test(`${ROUNDS} random edits of a chain are found, every one`, async () => {
  const roll = dice("audit edits");
  const file = newFile();
  for (const round of times(ROUNDS, (n) => n)) {
    cpSync(database, file);
    const edit = editOnce(file, roll);
    const { exit_code } = await auditJson(file);
    assert.notEqual(exit_code, 0, `round ${round}: ${JSON.stringify(edit)}`);
  }
});

test("a count outside of the ledger is no figure of it", async () => {
  const file = newFile();
  cpSync(database, file);
  const copy = new DatabaseSync(file);
  const count = copy.prepare("INSERT INTO counter (name, n, usd, usd_micro) VALUES (?, 3, 0, 0)");
  for (const what of OCCURRENCES) count.run(what);
  copy.close();
  const { exit_code, report } = await auditJson(file);
  assert.deepEqual([exit_code, unequal(report)], [0, []]);
});

test("a write without a ledger id is counted where its rows are", async () => {
  const file = newFile();
  cpSync(database, file);
  const copy = new DatabaseSync(file);
  const agents = copy.prepare("SELECT agent_id FROM coin_balance ORDER BY balance DESC").all();
  const [from, to] = agents.map((row) => String(row["agent_id"]));
  const body = JSON.stringify({ amount_micro: 7, from, to, transfer_id: 999 });
  const entry = copy.prepare(
    "INSERT INTO ledger_pending (kind, ref, body, rules) VALUES (?, ?, ?, 1)",
  );
  entry.run("coin_transfer", "999", body);
  const ahead = async () => unequal((await auditJson(file)).report);
  assert.deepEqual(
    (await ahead()).toSorted(),
    [`coin_balance ${from}`, `coin_balance ${to}`, "coin_transfer transfer 999"].toSorted(),
  );
  const move = copy.prepare("UPDATE coin_balance SET balance = balance + ? WHERE agent_id = ?");
  move.run(-7, from ?? "");
  move.run(7, to ?? "");
  copy.exec(`INSERT INTO coin_transfer (id, from_agent, to_agent, amount, created_at)
    VALUES (999, '${from}', '${to}', 7, 1)`);
  assert.deepEqual(await ahead(), []);
  copy.close();
});

test("an export is found out when a row was changed and every check sum made anew", async () => {
  const written = newFile();
  await writeExport(fileSnapshot(database), written);
  const lines = readFileSync(written, "utf8").trimEnd().split("\n");
  const at = lines.findIndex((line) => line.includes('"table":"coin_balance"'));
  const record = (line = "") => {
    const { crc32: _, ...rest } = JSON.parse(line);
    return rest;
  };
  const row = record(lines[at]);
  const edited = lines.with(at, JSON.stringify({ ...row, cells: [row.cells[0], 7] }));
  const texts = lines.map((line) => `${line}\n`);
  const damaged = {
    "a row changed": edited.map((line) => `${line}\n`),
    "the end missing": texts.slice(0, -1),
    "cut in a line": [...texts.slice(0, at), lines[at]?.slice(0, 40) ?? ""],
  };
  for (const [what, parts] of Object.entries(damaged)) {
    writeFileSync(written, parts.join(""));
    assert.equal((await auditRun([written, "--state", newFile()])).exit_code, 5, what);
  }

  const whole = edited.slice(0, -1).map((line) => lineOf(JSON.stringify(record(line))));
  const sha256 = createHash("sha256").update(whole.join("")).digest("hex");
  const end = lineOf(JSON.stringify({ ...record(lines.at(-1)), sha256 }));
  writeFileSync(written, [...whole, end].join(""));
  const { exit_code, report } = await auditJson(written);
  assert.equal(exit_code, 1);
  assert.match(unequal(report).join("\n"), /^coin_balance ag_\w+$/);
});

/** What somebody who has the database may change, and where a reader of the service sees it. */
const SERVED: readonly (readonly [statement: string, where: RegExp])[] = [
  ["UPDATE coin_account SET balance = balance + 5 WHERE account = 'agents_total'", /\/coin supply/],
  ["UPDATE coin_balance SET balance = balance + 100000", /\/coin balance\.ag_/],
  ["UPDATE counter SET n = n + 1 WHERE name = 'repo'", /\/goal counts\.repositories/],
  ["UPDATE counter SET usd = usd + 1 WHERE name = 'app'", /\/goal applications_declared/],
  [
    "UPDATE counter SET usd_micro = usd_micro + 1 WHERE name = 'contribution_checked'",
    /\/goal checked_against_a_chain_usd/,
  ],
  ["UPDATE counter SET n = n - 1 WHERE name = 'post'", /\/kpi statements\.posts/],
  ["UPDATE counter SET n = n + 1 WHERE name = 'worker'", /\/kpi foreign_agents/],
  ["UPDATE counter SET n = n + 1 WHERE name = 'repo_join'", /\/stats members/],
  [
    "UPDATE market_figure SET amount = amount + 1 WHERE name = 'fees_usd'",
    /\/market.* totals\.fee/,
  ],
  ["UPDATE market_figure SET amount = '7' WHERE name = 'owed_raw'", /reserves\.owed_raw/],
  ["DELETE FROM market_figure WHERE name = 'orders_paid_out'", /totals\.orders_by_state\.paid_out/],
];

for (const [statement, where] of SERVED) {
  test(`a reader of the service finds: ${statement}`, () =>
    served(
      (file) => {
        const { changes } = file.prepare(statement).run();
        assert(changes > 0);
      },
      async ({ url }) => {
        const { exit_code, report } = await auditJson(url);
        assert.equal(exit_code, 1);
        assert.match(unequal(report).join("\n"), where);
      },
    ));
}

test("a text that is not the one that was sealed is found", () =>
  served(
    (file) => file.exec("UPDATE post SET body = 'I never said that.' WHERE id = 1"),
    async ({ url }) => {
      const { exit_code, report } = await auditJson(url);
      assert.deepEqual([exit_code, report.chain.ok, report.groups], [1, false, []]);
      assert.match(report.chain.findings[0].reason, /the body beside it is not the one/);
    },
  ));

test("an audit passes while others write", () =>
  served(
    () => {},
    async ({ url, service }) => {
      let isDone = false;
      const writing = (async () => {
        for (let n = 0; !isDone; n++) {
          const body = JSON.stringify({ handle: `busy${n}` });
          const headers = { "content-type": "application/json" };
          await fetch(`${url}/api/v1/register`, { method: "POST", headers, body });
        }
      })();
      const { exit_code, report } = await auditJson(url);
      isDone = true;
      await writing;
      assert.deepEqual([exit_code, unequal(report)], [0, []]);
      assert.equal(service.rewardPool.violations(), 0);
    },
  ));

test("the report is one page with plots, and nothing in it runs or is fetched", async () => {
  const page = newFile();
  const { exit_code } = await auditJson(database, "--html", page);
  assert.equal(exit_code, 0);
  const html = readFileSync(page, "utf8");
  assert.equal(html.match(/<svg/g)?.length, 5);
  assert.match(html, /prefers-color-scheme: dark/);
  assert.doesNotMatch(html, /<script|<link|<img|https?:|NaN|undefined/);
});

test("the command says what it found, and refuses what it cannot use", async () => {
  const state = newFile();
  const { code, out } = await runCairn(["audit", database, "--state", state]);
  assert.equal(code, 0, out);
  assert.match(out, /All [0-9,]+ figures are what [0-9,]+ entries make them\.\n$/);
  const file = newFile();
  cpSync(database, file);
  const edited = new DatabaseSync(file);
  edited.exec("UPDATE coin_balance SET balance = 7");
  edited.close();
  const wrong = await auditRun([file, "--state", newFile()]);
  assert.equal(wrong.exit_code, 1);
  assert.match(wrong.text, / {2}≠ {2}ag_\w+ {2}claimed balance 7; the ledger makes balance \d+\n/);
  const broken = new DatabaseSync(file);
  broken.exec("DROP TRIGGER ledger_entry_never_changes");
  broken.exec("UPDATE ledger_entry SET body = x'00' WHERE ledger_id = 2");
  broken.close();
  assert.equal((await auditRun([file, "--state", newFile()])).exit_code, 5);
  assert.equal((await auditRun(["--wrong"])).exit_code, 2);
  assert.equal((await auditRun([])).exit_code, 2);
  assert.equal((await auditRun([newFile()])).exit_code, 5);
  await served(
    () => {},
    async ({ url }) => {
      const saved = newFile();
      await verifyJson([url, "--entries", "--save", saved]);
      assert.equal((await auditRun([saved, "--state", newFile()])).exit_code, 5);
    },
  );
});
