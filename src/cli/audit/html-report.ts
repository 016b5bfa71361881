import type { Audit } from "./audit.ts";
import { decimal } from "./decimal.ts";
import { type Compared, type Group, isEqual } from "./figures.ts";
import { escaped, type Plot, plot } from "./plot.ts";
import type { Day } from "./replay.ts";
import { besideLines, rewardLines, sumOf, unsealed, verdictOf } from "./text-report.ts";

const STYLE = `
  :root { color-scheme: light dark; --ink: #1f2328; --faint: #59636e; --line: #d1d9e0;
    --page: #ffffff; --good: #1a7f37; --bad: #cf222e; --a: #0969da; --b: #bc4c00; --c: #8250df }
  @media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --faint: #9198a1; --line: #3d444d;
    --page: #0d1117; --good: #3fb950; --bad: #ff7b72; --a: #58a6ff; --b: #f0883e; --c: #bc8cff } }
  body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page);
    max-width: 62rem; margin: 2rem auto; padding: 0 1rem }
  h1 { font-size: 1.4rem; margin-bottom: 0 } h2 { font-size: 1.05rem; margin: 2rem 0 .4rem }
  p { margin: .3rem 0 } .faint { color: var(--faint) } code { overflow-wrap: anywhere }
  .good { color: var(--good) } .bad { color: var(--bad) } .verdict { font-size: 1.15rem; font-weight: 600 }
  .plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(18rem, 1fr)); gap: 1.2rem }
  table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
  td, th { border-top: 1px solid var(--line); padding: .2rem .5rem; text-align: left; vertical-align: top }
  td { overflow-wrap: anywhere } th { font-weight: 600 } figure { margin: 0 }
  figcaption { font-size: .85rem } svg { width: 100%; height: auto; display: block }
  .axis { stroke: var(--line) } .label { fill: var(--faint); font: 11px system-ui, sans-serif }
  .a { --mark: var(--a) } .b { --mark: var(--b) } .c { --mark: var(--c) }
  path { fill: none; stroke: var(--mark); stroke-width: 1.8; stroke-linejoin: round }
  .key { color: var(--mark) }`;

const MICRO = 1_000_000;
const coins = (amount: bigint): number => Number(amount) / MICRO;

/** What the plots show, day by day. */
const PLOTS: readonly Plot<Day>[] = [
  { title: "Entries of the ledger", lines: [["entries", (day) => day.entries]] },
  {
    title: "Agents and works",
    lines: [
      ["agents", (day) => day.agents],
      ["works", (day) => day.works],
    ],
  },
  {
    title: "Coins",
    lines: [
      ["in balances", (day) => coins(day.circulating)],
      ["promised", (day) => coins(day.pending)],
    ],
  },
  {
    title: "Toward the goal, in USD",
    lines: [
      ["checked", (day) => coins(day.checked_usd)],
      ["declared", (day) => coins(day.declared_usd)],
      ["applications", (day) => coins(day.applications_usd)],
    ],
  },
  {
    title: "Market, in USD",
    lines: [
      ["released", (day) => coins(day.released_usd)],
      ["refunded", (day) => coins(day.refunded_usd)],
    ],
  },
];

/** The whole report as one page, which needs nothing else. */
export function htmlReport(audit: Audit): string {
  const { verified, groups, breaches, warnings, days, exit_code } = audit;
  const { seals, entries, state, findings } = verified.walked;
  const head = state.last;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Audit of ${escaped(verified.origin)}</title><style>${STYLE}
</style></head><body>
<h1>Audit of ${escaped(verified.origin)}</h1>
<p class="faint">${escaped(verified.source)}</p>
<p class="verdict ${exit_code === 0 ? "good" : "bad"}">${escaped(verdictOf(audit))}</p>
<p>${entries.toLocaleString("en")} entries, ${(entries - unsealed(verified.walked)).toLocaleString("en")} of them under ${seals.toLocaleString("en")} seals${head === null ? "" : `; the newest is ${head.seq}, <code>${escaped(head.seal_hash)}</code>`}.
${verified.exit_code === 0 ? "Every link, hash and signature was checked." : "The chain does not verify."}</p>
${list(findings.map(({ seq, reason }) => `Seal ${seq}: ${reason}`))}
${list(breaches.map(({ ledger_id, rule }) => `Entry ${ledger_id} breaks a rule: ${rule}`))}
${days.length === 0 ? "" : `<h2>What the entries make</h2><div class="plots">${PLOTS.map((each) => plot(each, days)).join("\n")}</div>`}
${summary(days)}
${rewardLines(audit)
  .map((line) => `<p class="faint">${escaped(line)}</p>`)
  .join("")}
${list(warnings.map((warning) => `Warning: ${warning}.`))}
${groups.map(section).join("\n")}
${besideLines(audit)
  .map((line) => `<p class="faint">${escaped(line)}</p>`)
  .join("\n")}
</body></html>
`;
}

const list = (lines: readonly string[]): string =>
  lines.length === 0
    ? ""
    : `<ul class="bad">${lines.map((line) => `<li>${escaped(line)}</li>`).join("")}</ul>`;

function summary(days: readonly Day[]): string {
  const last = days.at(-1);
  if (last === undefined) return "";
  return `<p class="faint">At the end: ${last.agents.toLocaleString("en")} agents, ${decimal(last.circulating)} coins in balances, ${decimal(last.pending)} promised, ${decimal(last.released_usd)} USD released by the market.</p>`;
}

function section(group: Group): string {
  const { name, unequal, figures, untold, newer = [] } = group;
  const verdict = `<span class="${unequal === 0 ? "good" : "bad"}">${escaped(sumOf(group))}</span>`;
  const rows = figures.length === 0 ? "" : `<table>${HEADINGS}${figures.map(row).join("")}</table>`;
  return `<h2><code>${escaped(name)}</code>: ${verdict}</h2>${rows}${faint("Not in the ledger", untold)}${faint("Newer than this program", newer)}`;
}

const faint = (what: string, names: readonly string[]): string =>
  names.length === 0 ? "" : `<p class="faint">${what}: ${escaped(names.join(", "))}.</p>`;

const HEADINGS = "<tr><th>Figure</th><th>Claimed</th><th>From the ledger</th><th></th></tr>";

function row(figure: Compared): string {
  const { name, claimed, recomputed } = figure;
  const mark = isEqual(figure) ? `<td class="good">equal</td>` : `<td class="bad">not equal</td>`;
  return `<tr><td>${escaped(name)}</td><td>${escaped(claimed ?? "nothing")}</td><td>${escaped(recomputed ?? "nothing")}</td>${mark}</tr>`;
}
