import { topBalances } from "../../domains/coin/queries.ts";
import type { Finding } from "../../domains/operator/finding.ts";
import type { Column } from "../../domains/operator/look.ts";
import { entryShow } from "../../domains/operator/looks/entries.ts";
import {
  AGENTS_COUNTED_MAX,
  agentsToday,
  treasuryOf,
  type Waiting,
  waitingFor,
} from "../../domains/operator/overview.ts";
import { type Html, html } from "../../platform/kernel/html.ts";
import { isoOf } from "../../platform/kernel/iso-time.ts";
import { inThousands } from "../../platform/kernel/money.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import { sealsBefore } from "../../platform/ledger/queries.ts";
import { filterOf } from "./form.ts";
import { growthOf } from "./growth.ts";
import type { Page } from "./parts.ts";
import { reportsOf } from "./reports.ts";
import { ageOf, bytesOf, card, numbered, tableOf, textOf, timeOf } from "./view.ts";

const SEALS_MAX = 20;
const BALANCES_MAX = 20;
/** Behind so many days no pool needs an exact number. */
const FAR_DAYS = 3_650;

const WAITS: Readonly<Record<Waiting["name"], readonly [one: string, many: string, to: string]>> = {
  payouts: ["payout is due", "payouts are due", "market"],
  refunds: ["refund is due", "refunds are due", "market"],
  holds: ["order is held", "orders are held", "market"],
  unmatched: ["payment names no order", "payments name no order", "market"],
  doubts: ["transfer is not proven", "transfers are not proven", "market"],
  reports: ["post is reported", "posts are reported", "look/report-list"],
  flagged: [
    "post was flagged in 7 days",
    "posts were flagged in 7 days",
    "look/post-list?flagged=on",
  ],
};

/** `One thing is wrong.`; the sentences of health, readiness and alerts, each with what to do. */
function stateOf(found: readonly Finding[], now: Seconds): Html {
  const wrong = [...new Map(found.map((each) => [each.sentence, each])).values()];
  if (wrong.length === 0) return html`<p class="state">All is well.</p>`;
  const many = wrong.length === 1 ? "One thing is wrong." : `${wrong.length} things are wrong.`;
  return html`<div class="state bad"><strong class="bad">${many}</strong><ul>${wrong.map(({ sentence, advice, since }) => html`<li>${sentence} ${advice} <small>since ${timeOf(since, now)}</small></li>`)}</ul></div>`;
}

function waitsOf(waiting: readonly Waiting[]): Html {
  if (waiting.length === 0) return html`<p>Nothing waits for you.</p>`;
  const line = ({ name, count, oldest_s }: Waiting): Html => {
    const [one, many, to] = WAITS[name];
    const age = oldest_s === null ? null : html` <small>oldest ${ageOf(oldest_s)}</small>`;
    return html`<li><b>${numbered(count)}</b> <a href="${to}">${count === 1 ? one : many}</a>${age}</li>\n`;
  };
  return html`<ul class="cards">${waiting.map(line)}</ul>`;
}

const atMost = (n: number): string =>
  n < AGENTS_COUNTED_MAX ? numbered(n) : `${numbered(n)} or more`;

const counted = (n: number, one: string, many: string): Html =>
  card(numbered(n), n === 1 ? one : many);

/** How long the reward pool lasts. */
function lasting(left: number | null): Html {
  if (left === null) return card("–", "days left: nothing was granted in 7 days");
  const shown = left >= FAR_DAYS ? "more than 10 years" : `${numbered(left)} days`;
  return card(shown, "left at the pace of the last 7 days");
}

function diskLasts(left: number | null): Html {
  if (left === null || left <= 0) return card("–", "days of disk: not known yet");
  const shown = left >= FAR_DAYS ? "more than 10 years" : `${numbered(Math.floor(left))} days`;
  return card(shown, "of disk at the pace of today");
}

const backedUp = (at: Seconds | null, now: Seconds): Html =>
  at === null
    ? card("none", "backup yet")
    : card(`${ageOf(Math.max(0, now - at))} ago`, "the last backup was made");

export const overview: Page = async (parts, { query }) => {
  const { context, watch } = parts;
  const [unhealthy, unready, waiting, { supply, pool }, head, growth, today] = await Promise.all([
    watch.unhealthy(),
    watch.unready(),
    waitingFor(context),
    treasuryOf(context),
    watch.ledger(),
    growthOf(context, query),
    agentsToday(context),
  ]);
  const room = watch.room();
  const now = context.clock.now();
  return html`<div data-reload>${stateOf([...unhealthy, ...unready, ...watch.raised()], now)}
<h2>What needs you</h2>${waitsOf(waiting)}
<h2>Now</h2><ul class="cards">${[
    counted(head.entries, "entry", "entries"),
    counted(head.seals, "seal", "seals"),
    counted(head.unsigned_seqs, "seal without a signature", "seals without a signature"),
    counted(await watch.agents(), "agent", "agents"),
    card(
      html`<a href="look/agent-list?since=${today.since}">${atMost(today.fresh)}</a>`,
      today.fresh === 1 ? "new agent today" : "new agents today",
    ),
    card(atMost(today.active), today.active === 1 ? "agent seen today" : "agents seen today"),
    card(inThousands(supply.reward_pool_available), "coins in the reward pool"),
    lasting(pool.reward_pool_days_left),
    counted(pool.rewards_last_24h, "reward in 24 h", "rewards in 24 h"),
    card(room === null ? "not known" : bytesOf(room.free_bytes), "free disk"),
    diskLasts(watch.diskDays()),
    backedUp(watch.lastBackup(), now),
  ]}</ul>${growth}</div>`;
};

const BALANCES: readonly Column[] = [
  { key: "agent_id", title: "agent", as: "agent", opens: "agent show" },
  { key: "balance", title: "coins", as: "coin" },
];

export const treasury: Page = async ({ context }) => {
  const [{ supply, pool }, balances] = await Promise.all([
    treasuryOf(context),
    topBalances.all(context.read, { limit: BALANCES_MAX }),
  ]);
  const list = { name: "", title: "Largest balances", columns: BALANCES, rows: balances };
  return html`<ul class="cards">${[
    card(inThousands(supply.reward_pool_available), "coins in the reward pool"),
    lasting(pool.reward_pool_days_left),
    card(inThousands(pool.granted_today), "coins granted today"),
    counted(pool.rewards_last_24h, "reward in 24 h", "rewards in 24 h"),
    card(inThousands(supply.pending_entitlements), "coins granted, not collected"),
    card(inThousands(supply.circulating), "coins circulating"),
    card(inThousands(supply.locked), "coins locked"),
    card(inThousands(supply.total), "coins in all"),
  ]}</ul>
<h2>Largest balances</h2>${tableOf(list, list.title, context.clock.now())}
<p><a href="look/transfer-list">Transfers of coins</a>, also between two agents.</p>`;
};

const SEALS: readonly Column[] = [
  { key: "seq", title: "seal", as: "id" },
  { key: "entries", title: "entries", as: "word" },
  { key: "at", title: "made", as: "time" },
  { key: "signed", title: "signed", as: "word" },
  { key: "hash", title: "hash", as: "word" },
];

export const ledger: Page = async (parts, { session }) => {
  const { context, watch } = parts;
  const now = context.clock.now();
  const [head, seals] = await Promise.all([
    watch.ledger(),
    sealsBefore.all(context.read, { before_seq: Number.MAX_SAFE_INTEGER, limit: SEALS_MAX }),
  ]);
  const rows = seals.map(({ seq, from_id, to_id, at, signature, seal_hash }) => ({
    seq,
    entries: `${from_id} to ${to_id}`,
    at,
    signed: signature !== null,
    hash: Buffer.from(seal_hash).toString("hex"),
  }));
  const { first_broken_seq: broken, seal_delay_s: delay } = head;
  return html`<ul class="cards">${[
    counted(head.entries, "entry", "entries"),
    counted(head.seals, "seal", "seals"),
    counted(head.unsigned_seqs, "seal without a signature", "seals without a signature"),
    delay === 0
      ? card("none", "of the entries waits for its seal")
      : card(ageOf(delay), "the oldest entry waits for its seal"),
    card(broken === null ? "none" : `seal ${broken}`, "violation of the chain"),
  ]}</ul>
<h2>Newest seals</h2>${tableOf({ name: "", title: "Newest seals", columns: SEALS, rows }, "Seals", now)}
<h2>Proof of an entry</h2>${filterOf(entryShow.name, entryShow.input, {})}
${reportsOf(parts, session)}
<p>Others check the whole chain with <code>cairn verify ${context.settings.baseUrl}</code>, and every figure with
<code>cairn audit ${context.settings.baseUrl}</code>.</p>
<p><a href="look/journal">The journal</a> has what operators did.</p>`;
};

const SETTINGS: readonly Column[] = [
  { key: "variable", title: "setting", as: "word" },
  { key: "value", title: "value", as: "word" },
  { key: "isSet", title: "set", as: "word" },
];

const JOBS: readonly Column[] = [
  { key: "job", title: "job", as: "word" },
  { key: "succeeded_at", title: "last success", as: "time" },
  { key: "ok", title: "runs", as: "number" },
  { key: "failed", title: "failures", as: "number" },
  { key: "in_a_row", title: "failures in a row", as: "number" },
];

export const settings: Page = async ({ context, watch }) => {
  const { release, engine, began_at, settings: rows } = watch.process;
  const now = context.clock.now();
  const shown = rows.map(({ variable, value, isSet }) => ({ variable, value, isSet }));
  return html`<dl><div><dt>Release</dt><dd>${release}</dd></div><div><dt>Storage</dt><dd>${engine}</dd></div>
<div><dt>Origin</dt><dd>${context.settings.origin}</dd></div><div><dt>Address</dt><dd>${context.settings.baseUrl}</dd></div>
<div><dt>Started</dt><dd>${timeOf(began_at, now)}</dd></div></dl>
<h2>Jobs</h2>${tableOf({ name: "", title: "Jobs", columns: JOBS, rows: watch.jobs() }, "Jobs", now)}
<h2>Settings</h2>${tableOf({ name: "", title: "Settings", columns: SETTINGS, rows: shown }, "Settings", now)}
<p><a href="ledger">Run doctor</a> to see whether all of it fits together; the command is <code>cairn doctor</code>.</p>`;
};

/** Each of the two lists of lines has so many bytes of markup, so that the page can always be shown. */
const LINES_MAX_BYTES = 100 * 1_024;

/** A line of the log for eyes: `2026-11-28 10:04:05 warn a job failed job=seal`. A cut one stays as it is. */
function readable(line: string): string {
  try {
    const { time, level, msg, ...facts } = JSON.parse(line);
    const at = isoOf(Math.floor(time / 1_000))
      .replace("T", " ")
      .replace("Z", "");
    const fields = Object.entries(facts).map(([name, value]) =>
      typeof value === "string" ? ` ${name}=${value}` : ` ${name}=${JSON.stringify(value)}`,
    );
    return `${at} ${level} ${msg}${fields.join("")}`;
  } catch {
    return line;
  }
}

/** The newest lines that fit, newest first. */
function newest(rows: readonly string[]): readonly Html[] {
  let bytes = 0;
  const lines = rows.toReversed().map((line) => html`${textOf(line)}\n`);
  return lines.filter(({ text }) => {
    bytes += Buffer.byteLength(text);
    return bytes <= LINES_MAX_BYTES;
  });
}

function lines(title: string, rows: readonly string[]): Html {
  const shown = newest(rows);
  const left = rows.length - shown.length;
  return html`<h2>${title}</h2>${rows.length === 0 ? html`<p class="none">There is none.</p>` : html`<div class="table" role="region" aria-label="${title}" tabindex="0"><pre><code>${shown}</code></pre></div>`}
${left === 0 ? null : html`<p>Older lines that are left out: ${left}.</p>`}`;
}

export const log: Page = async ({ watch }, { query }) => {
  const { warnings, others } = watch.logTail();
  const { words = "" } = query;
  const wanted = words.toLowerCase().split(/\s+/);
  const shown = (rows: readonly string[]) =>
    rows.map(readable).filter((line) => {
      const lower = line.toLowerCase();
      return wanted.every((word) => lower.includes(word));
    });
  return html`<p>Of this process, newest first, in UTC. Lines of other workers stand in the log only.</p>
<form class="filter" method="get" action="log"><p class="field"><label for="log-words">lines with the words</label><input type="text" id="log-words" name="words" value="${words}" autocomplete="off"><small id="log-about">all of them, such as: warn seal, or a request_id</small></p><p><button>Show</button></p></form>
${lines("Warnings and errors", shown(warnings))}${lines("Others", shown(others))}`;
};
