import { type Html, html, type Part, visible } from "../../platform/kernel/html.ts";
import { type Plot, plot } from "../../platform/kernel/plot.ts";
import { beliefLines, breachesLines, unknownLines } from "../../verify/rules.ts";
import type { Audit } from "./audit.ts";
import { decimal } from "./decimal.ts";
import { type Compared, type Group, isEqual } from "./figures.ts";
import type { Day } from "./replay.ts";
import { REPORT_STYLE } from "./report-style.ts";
import { besideLines, rewardLines, sumOf, totalOf, unsealed, verdictOf } from "./text-report.ts";

/** The making of a report. */
export interface Made {
  /** Unix milliseconds. */
  readonly at: number;
  readonly release: string;
}

/** Rows of figures on a page; the rest is counted. */
const ROWS_MAX = 2_000;

const MICRO = 1_000_000;
const coins = (amount: bigint): number => Number(amount) / MICRO;
const numbered = (n: number): string => n.toLocaleString("en");

/** The lines of the plots, day by day. */
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

/** The whole report as one page, which needs nothing else; only links to a service lead away. */
export function htmlReport(audit: Audit, made: Made): string {
  const { verified, groups, breaches, days, warnings, notCompared } = audit;
  const tables = tablesOf(audit);
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Audit of ${verified.origin}</title><style>${REPORT_STYLE}</style></head><body><main>
<h1>Audit of ${verified.origin}</h1>
${sentences(audit)}
${lines("bad", [
  ...verified.walked.findings.map(({ seq, reason }) => `Seal ${seq}: ${reason}`),
  ...breachesLines(breaches),
  ...unknownLines(audit.unknown),
])}
${facts(audit, made)}
${days.length === 0 ? null : html`<h2>What the entries make</h2><div class="plots">${PLOTS.map((each) => plot(each, days))}</div>`}
${summary(days)}${lines("faint", [...beliefLines(audit), ...rewardLines(audit)])}
${lines(
  "bad",
  warnings.map((warning) => `Warning: ${warning}.`),
)}
<h2>What was not compared</h2>
${notCompared.length === 0 ? html`<p>Everything that the source shows was compared.</p>` : null}${lines("faint", besideLines(audit))}
<h2>What was compared</h2>
${groups.map((group) => section(group, tables))}
${tables.left() === 0 ? null : html`<p class="faint">${numbered(tables.left())} more rows are not on this page: <code>cairn audit --json</code> has them.</p>`}
</main></body></html>
`;
  return page.text;
}

/** Three sentences: the reading, the making again, and what both mean. */
function sentences(audit: Audit): Html {
  const { verified, groups, exit_code } = audit;
  const { entries, seals } = verified.walked;
  if (verified.exit_code !== 0)
    return html`<p class="verdict bad">The chain does not verify. ${verdictOf(audit)}</p>`;
  const pending = unsealed(verified.walked);
  const read = html`<p>${numbered(entries)} entries were read, ${numbered(entries - pending)} of them under ${numbered(seals)} seals; every link, hash and signature is right.</p>`;
  const again = html`<p>From these entries alone every balance, book and count was made again: ${numbered(totalOf(groups, "compared"))} figures.</p>`;
  const means =
    exit_code === 0
      ? html`<p class="verdict good">Each is what is claimed. Nobody, not even the operator, can have changed one of these figures unseen.</p>`
      : html`<p class="verdict bad">${verdictOf(audit)}</p>`;
  return html`<div class="said">${read}${again}${means}</div>`;
}

function facts({ verified }: Audit, { at, release }: Made): Html {
  const { origin, source, keys, walked } = verified;
  const head = walked.state.last;
  const base = baseOf(verified.source);
  const seal =
    head === null
      ? "none"
      : html`${link(base, `/seal?seq=${head.seq}`, `seal ${head.seq}`)} <code>${head.seal_hash}</code>`;
  const rows: readonly (readonly [string, Part])[] = [
    ["Made", html`<time>${new Date(at).toISOString()}</time> by Cairn ${release}`],
    ["Network", visible(origin)],
    ["Source", base === null ? visible(source) : html`<a href="${base}">${base}</a>`],
    [keys.length === 1 ? "Key" : "Keys", keys.map((key) => html`<code>${key}</code> `)],
    ["Head", seal],
  ];
  return html`<dl>${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>\n`)}</dl>`;
}

const lines = (className: "bad" | "faint", texts: readonly string[]): Html | null =>
  texts.length === 0
    ? null
    : html`<ul class="${className}">${texts.map((line) => html`<li>${visible(line)}</li>\n`)}</ul>`;

function summary(days: readonly Day[]): Html | null {
  const last = days.at(-1);
  if (last === undefined) return null;
  return html`<p class="faint">At the end: ${numbered(last.agents)} agents, ${decimal(last.circulating)} coins in balances, ${decimal(last.pending)} promised, ${decimal(last.released_usd)} USD released by the market.</p>`;
}

/** The address of a service; null for a file. */
const baseOf = (source: string): string | null => (/^https?:\/\//.test(source) ? source : null);

const link = (base: string | null, path: string, text: string): Part =>
  base === null ? text : html`<a href="${`${base}/api/v1${path}`}">${text}</a>`;

/** Makes the tables of a page, as long as it has room. */
interface TableMaker {
  of(figures: readonly Compared[]): Html;
  /** Rows that found no room. */
  left(): number;
}

function tablesOf({ verified, handles }: Audit): TableMaker {
  const base = baseOf(verified.source);
  let [room, left] = [ROWS_MAX, 0];
  /** A name or value, in which an agent has its handle beside it. */
  const shown = (text: string): Part =>
    text.split(/(\bag_[a-z2-7]{20}(?:[a-z2-7]{12})?\b)/).map((part, i) => {
      if (i % 2 === 0) return visible(part);
      const handle = handles.get(part);
      const named = handle === undefined ? null : html` <bdi class="faint">${handle}</bdi>`;
      return html`${link(base, `/agent/${part}`, part)}${named}`;
    });
  const cell = (title: string, value: string | null): Html =>
    html`<td data-title="${title}">${value === null ? html`<span class="faint">nothing</span>` : shown(value)}</td>`;
  const row = (figure: Compared): Html => {
    const mark = isEqual(figure)
      ? html`<td class="good">equal</td>`
      : html`<td class="bad">not equal</td>`;
    return html`<tr>${cell("Figure", figure.name)}${cell("Claimed", figure.claimed)}${cell("From the ledger", figure.recomputed)}${mark}</tr>\n`;
  };
  return {
    left: () => left,
    of(figures) {
      const drawn = figures.slice(0, room);
      room -= drawn.length;
      left += figures.length - drawn.length;
      if (drawn.length === 0) return html``;
      return html`<table><thead><tr><th scope="col">Figure</th><th scope="col">Claimed</th><th scope="col">From the ledger</th><th scope="col">Verdict</th></tr></thead>
<tbody>${drawn.map(row)}</tbody></table>`;
    },
  };
}

/** A sentence for each group; what differs stands open, what is equal behind it. */
function section(group: Group, tables: TableMaker): Html {
  const { name, unequal, figures, untold, newer = [] } = group;
  const wrong = figures.filter((figure) => !isEqual(figure));
  const right = figures.filter(isEqual);
  const equal =
    right.length === 0
      ? null
      : html`<details><summary>${numbered(right.length)} equal ${right.length === 1 ? "figure" : "figures"}</summary>${tables.of(right)}</details>`;
  return html`<section><h3><code>${name}</code></h3><p class="${unequal === 0 ? "good" : "bad"}">${sumOf(group)}.</p>
${tables.of(wrong)}${equal}${named("Not in the ledger", untold)}${named("Newer than this program", newer)}</section>
`;
}

const named = (title: string, names: readonly string[]): Html | null =>
  names.length === 0 ? null : html`<p class="faint">${title}: ${visible(names.join(", "))}.</p>`;
