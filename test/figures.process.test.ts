import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { parser } from "@prometheus-io/lezer-promql";
import { parse } from "yaml";
import * as z from "zod";
import { CONDITIONS } from "../src/main/conditions/conditions.ts";
import { alertsYaml } from "../src/main/conditions/pages.ts";
import { ALARMS } from "../src/platform/kernel/alarms.ts";
import { freePort } from "./ports.ts";
import { eventually } from "./postgres-store.ts";
import { type RunningService, runCairn, startService } from "./process.ts";

const ROOT = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

/** What Prometheus and its histograms add to the names and labels of a scrape. */
const PROMETHEUS = { metrics: ["up"], labels: ["instance", "job", "le"] };

let folder: string;
let service: RunningService;
let metrics: () => Promise<string>;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "cairn-figures-"));
  const port = await freePort();
  const environment = { CAIRN_DATA_DIR: folder, CAIRN_ADMIN_PORT: `${port}` };
  service = await startService({ ...environment, CAIRN_LOG_LEVEL: "error" });
  await fetch(`${service.url}/api/v1/stats`);
  metrics = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  await eventually(async () => (await metrics()).includes('result="ok"} '));
});
after(async () => {
  await service.stop("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

/** The series of a scrape: each name with its type and its labels. */
function seriesOf(text: string) {
  const types = new Map<string, string>();
  const labels = new Map<string, Set<string>>();
  for (const line of text.split("\n").filter((each) => each !== "")) {
    const [, typed, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    if (typed !== undefined && type !== undefined) types.set(typed, type);
    const [, name, pairs] = /^(\w+)(?:\{(.*)\})? (?:[-+.\de]+|\+Inf|Nan)$/.exec(line) ?? [];
    assert.ok(line.startsWith("#") || name !== undefined, line);
    if (name === undefined) continue;
    const known = labels.get(name) ?? new Set();
    for (const [, label = ""] of pairs?.matchAll(/(\w+)="[^"]*"/g) ?? []) known.add(label);
    labels.set(name, known);
  }
  return { types, labels };
}

/** Faults of an expression: what does not parse, and metrics and labels that nobody gives. */
function faultsOf(expression: string, { labels }: ReturnType<typeof seriesOf>): string[] {
  const faults: string[] = [];
  const known = new Set([
    ...[...labels.values()].flatMap((each) => [...each]),
    ...PROMETHEUS.labels,
  ]);
  parser.parse(expression).iterate({
    enter({ type, from, to }) {
      const text = expression.slice(from, to);
      if (type.isError) faults.push(`does not parse at ${from}`);
      if (type.name === "Identifier" && !labels.has(text) && !PROMETHEUS.metrics.includes(text))
        faults.push(`no metric ${text}`);
      if (type.name === "LabelName" && !known.has(text)) faults.push(`no label ${text}`);
    },
  });
  return faults;
}

const alerts = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.object({
          alert: z.string(),
          expr: z.string(),
          for: z.string().regex(/^\d+[mh]$/),
          labels: z.strictObject({ severity: z.enum(["page", "ticket"]) }),
          annotations: z.strictObject({ summary: z.string(), runbook: z.string() }),
        }),
      ),
    }),
  ),
});

const dashboard = z.object({
  panels: z.array(z.object({ targets: z.array(z.object({ expr: z.string() })).default([]) })),
});

/** Anchors of a page, as its readers' sites make them. */
const anchorsOf = (page: string): Set<string> =>
  new Set(
    [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
      title
        .toLowerCase()
        .replace(/[^\w\s-]/g, "")
        .replaceAll(" ", "-"),
    ),
  );

test("a counter ends in _total, and nothing else does", async () => {
  for (const [name, type] of seriesOf(await metrics()).types)
    assert.equal(name.endsWith("_total"), type === "counter", `${name} is a ${type}`);
});

test("alerts and dashboard name only what a service tells, and headings that exist", async () => {
  const series = seriesOf(await metrics());
  const rules = alerts.parse(parse(alertsYaml())).groups.flatMap((group) => group.rules);
  assert.equal(rules.length, CONDITIONS.length);
  for (const { alert, expr, annotations } of rules) {
    assert.deepEqual(faultsOf(expr, series), [], alert);
    const [page = "", anchor = ""] = annotations.runbook.split("#");
    assert.ok(anchorsOf(page).has(anchor), annotations.runbook);
  }
  const { panels } = dashboard.parse(JSON.parse(read("ops/grafana/cairn.json")));
  for (const { expr } of panels.flatMap(({ targets }) => targets))
    assert.deepEqual(faultsOf(expr, series), [], expr);
});

/** How a check of Prometheus ended, and what it said. */
function promtool(args: readonly string[], input = "") {
  const options = { input, encoding: "utf8", cwd: ROOT } as const;
  const { status, stdout, stderr } = spawnSync("promtool", ["check", ...args], options);
  return { status, said: stdout + stderr };
}
const skip =
  spawnSync("promtool", ["--version"]).error !== undefined &&
  "promtool is not installed here: it is in Debian's package prometheus.";

test("Prometheus itself takes rules, queries, scrape and figures", { skip }, async () => {
  const passed = (args: readonly string[]): string => {
    const { status, said } = promtool(args);
    assert.equal(status, 0, said);
    return said;
  };
  const found = new RegExp(`${CONDITIONS.length} rules found`);
  assert.match(passed(["rules", "ops/prometheus/alerts.yml"]), found);
  passed(["config", "ops/prometheus/scrape.yml"]);
  const { panels } = dashboard.parse(JSON.parse(read("ops/grafana/cairn.json")));
  const queries = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  const own = { $instance: ".*", $__rate_interval: "1m", $__interval: "1m", $__range: "1h" };
  const rules = queries.map((query, i) => {
    const expr = Object.entries(own).reduce((text, [from, to]) => text.replaceAll(from, to), query);
    return { record: `panel:query${i}`, expr };
  });
  const file = join(folder, "queries.yml");
  writeFileSync(file, JSON.stringify({ groups: [{ name: "panels", rules }] }));
  assert.match(passed(["rules", file]), new RegExp(`${queries.length} rules found`));
  const days = (name: string) => `${name} use base unit "seconds" instead of "days"`;
  const { said } = promtool(["metrics"], await metrics());
  const lines = ["cairn_disk_days_left", "cairn_reward_pool_days_left"].map(days);
  assert.equal(said, `${lines.join("\n")}\n`, "it finds nothing but these names");
  assert.equal(promtool(["metrics"], "# TYPE a nothing\n").status, 1);
});

test("a name that nobody tells is a fault", async () => {
  const series = seriesOf(await metrics());
  assert.deepEqual(faultsOf("cairn_nothing > 0", series), ["no metric cairn_nothing"]);
  assert.deepEqual(faultsOf('cairn_orders{colour="red"}', series), ["no label colour"]);
  assert.notDeepEqual(faultsOf("cairn_healthy == ", series), []);
});

test("the guide has a row for each figure and each alarm, and for nothing else", async () => {
  const guide = read("docs/reference/figures.md") + read("docs/operating/alarms.md");
  const named = new Set([...guide.matchAll(/`(cairn_\w+)`/g)].map(([, name = ""]) => name));
  const reported = [...seriesOf(await metrics()).types.keys()].filter((name) =>
    name.startsWith("cairn_"),
  );
  assert.deepEqual([...named].sort(), reported.sort());
  for (const name of ALARMS) assert.ok(guide.includes(`\n| \`${name}\``), name);
});

test("a backup that was made is told", async () => {
  const age = /^cairn_last_backup_timestamp_seconds (\d+)$/m;
  assert.equal(age.exec(await metrics())?.[1], "0");
  const made = await runCairn(["backup", join(folder, "copy.db")], { CAIRN_DATA_DIR: folder });
  assert.equal(made.code, 0, made.err);
  await eventually(async () => Number(age.exec(await metrics())?.[1]) > 0);
});
