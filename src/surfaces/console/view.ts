import {
  type Column,
  handleIn,
  type List,
  type Row,
  type Seen,
} from "../../domains/operator/look.ts";
import { LOOKS } from "../../domains/operator/looks/looks.ts";
import { type Html, html, type Part, visible } from "../../platform/kernel/html.ts";
import { isoOf } from "../../platform/kernel/iso-time.ts";
import { inThousands } from "../../platform/kernel/money.ts";
import { xnoOf } from "../../platform/kernel/nano.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import { DAY_S, HOUR_S, MINUTE_S } from "../../platform/kernel/time.ts";

/** A text of a list is cut there; its own page has it whole. */
const PREVIEW_LENGTH = 500;

const NUMBERS: readonly Column["as"][] = ["id", "number", "bytes", "raw", "usd", "coin"];

/** `1,234`. */
export const numbered = (n: number): string => n.toLocaleString("en");

/** One of the figures that stand beside each other. */
export const card = (value: Part, name: string): Html => html`<li><b>${value}</b> ${name}</li>\n`;

/** `report show` is the page `look/report-show`. */
export const slugOf = (name: string): string => name.replaceAll(" ", "-");

/** `3 days`, `2 h`, `5 min`, `under a minute`. */
export function ageOf(seconds: Seconds): string {
  const [n, unit] =
    seconds >= 2 * DAY_S
      ? [Math.floor(seconds / DAY_S), "days"]
      : seconds >= HOUR_S
        ? [Math.floor(seconds / HOUR_S), "h"]
        : [Math.floor(seconds / MINUTE_S), "min"];
  return n < 1 ? "under a minute" : `${n.toLocaleString("en")} ${unit}`;
}

/** A time in UTC, and how far from now it is. */
export function timeOf(at: Seconds, now: Seconds): Html {
  const iso = isoOf(at);
  const age = ageOf(Math.abs(now - at));
  const distance = at > now ? `in ${age}` : `${age} ago`;
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace("T", " ")}</time> <small>${distance}</small>`;
}

/** A stranger's text: all of it can be seen, and its direction ends with it. */
export const textOf = (text: string): Html => html`<bdi>${visible(text)}</bdi>`;

/** A sentence in which commands stand between backquotes. */
export const withCommands = (text: string): Part =>
  text.split("`").map((part, i) => (i % 2 === 0 ? part : html`<code>${part}</code>`));

/** How a value is shown: a cell, or a page of its own. */
interface Display {
  readonly now: Seconds;
  readonly isWhole: boolean;
}

function cellOf(column: Column, row: Row, { now, isWhole }: Display): Html {
  const { key, opens: always, opensBy = "" } = column;
  const value = row[key] ?? null;
  if (value === null) return html`<span class="none">–</span>`;
  const shown = shownValue(column, value, row, { now, isWhole });
  const opens = always ?? row[opensBy] ?? null;
  if (typeof opens !== "string") return shown;
  const target = `look/${slugOf(opens)}?${keyOf(opens)}=${encodeURIComponent(String(value))}`;
  return html`<a href="${target}">${shown}</a>`;
}

/** The first value of a look that shows one thing. */
const keyOf = (opens: string): string =>
  LOOKS.find(({ name }) => name === opens)?.operands?.[0] ?? "id";

function shownValue(
  { key, as, isBrief }: Column,
  value: string | number | boolean,
  row: Row,
  { now, isWhole }: Display,
): Html {
  if (as === "agent") return textOf(String(handleIn(key, row) ?? value));
  if (typeof value === "boolean") return html`${value ? "yes" : "no"}`;
  if (as === "time") return timeOf(Number(value), now);
  if (as === "raw")
    return html`${isBrief ? rounded(xnoOf(BigInt(value))) : xnoOf(BigInt(value))} XNO`;
  if (as === "usd") return html`${Number(value) / 1_000_000} USD`;
  if (as === "coin") return html`${inThousands(BigInt(value))}`;
  if (as === "bytes") return html`${bytesOf(Number(value))}`;
  if (typeof value === "number") return html`${as === "id" ? value : value.toLocaleString("en")}`;
  if (as === "text" && isWhole) return html`<pre><bdi>${visible(value)}</bdi></pre>`;
  return textOf(value.length > PREVIEW_LENGTH ? `${value.slice(0, PREVIEW_LENGTH)}…` : value);
}

const DECIMALS_SHOWN = 6;

/** `38.4…` of an amount with more decimals than a column has room for. */
function rounded(amount: string): string {
  const [whole = "", decimals = ""] = amount.split(".");
  if (decimals.length <= DECIMALS_SHOWN) return amount;
  return `${whole}.${decimals.slice(0, DECIMALS_SHOWN).replace(/0+$/, "")}…`.replace(/\.…/, "…");
}

const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"];

/** `47 GiB`. */
export function bytesOf(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1_024 ** step).toLocaleString("en", { maximumFractionDigits: 1 })} ${UNITS[step]}`;
}

/** Longer values, such as hashes, may break anywhere; words keep whole. */
const WORD_LENGTH = 20;
/** Longer ones get more room where a row stands as a card, and a longer text its whole width. */
const LONG_LENGTH = 40;
const SHORT_LENGTH = 14;

function classOf({ key, as }: Column, row: Row): Html | null {
  const { length } = String((as === "agent" ? handleIn(key, row) : null) ?? row[key] ?? "");
  const classes = [
    ...(NUMBERS.includes(as) ? ["n"] : []),
    ...(length <= WORD_LENGTH && (as === "agent" || as === "word") ? ["k"] : []),
    ...(length > WORD_LENGTH ? ["w"] : []),
    ...(length > LONG_LENGTH ? ["l"] : []),
    ...(as === "text" && length > SHORT_LENGTH ? ["t"] : []),
  ];
  return classes.length === 0 ? null : html` class="${classes.join(" ")}"`;
}

/** Boxes before the rows of a list, and the form that they belong to. */
interface Ticks {
  readonly name: string;
  readonly form: string;
  readonly key: string;
}

/** A table in a region that scrolls by itself; its rows are cards where there is no room. */
export function tableOf(
  { columns, rows, title }: List,
  label: string,
  now: Seconds,
  ticks: Ticks | null = null,
): Html {
  if (rows.length === 0) return html`<p class="none">There is none.</p>`;
  const place = { now, isWhole: false };
  const cell = (column: Column, row: Row) =>
    html`<td data-title="${column.title}"${classOf(column, row)}>${cellOf(column, row, place)}</td>`;
  const tick = (row: Row) =>
    ticks === null
      ? null
      : html`<td data-title="tick"><input type="checkbox" name="${ticks.name}" form="${ticks.form}" value="${String(row[ticks.key])}" aria-label="tick ${String(row[ticks.key])}"></td>`;
  const first = ticks === null ? null : html`<th scope="col">tick</th>`;
  return html`<div class="table" role="region" aria-label="${title || label}" tabindex="0"><table>
<thead><tr>${first}${columns.map(({ title: head, as }) => html`<th scope="col"${NUMBERS.includes(as) ? html` class="n"` : null}>${head}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${tick(row)}${columns.map((column) => cell(column, row))}</tr>\n`)}</tbody>
</table></div>`;
}

/** One thing: its values under each other. */
export const thingOf = ({ columns, row }: NonNullable<Seen["thing"]>, now: Seconds): Html =>
  html`<dl>${columns.map((column) => html`<div><dt>${column.title}</dt><dd>${cellOf(column, row, { now, isWhole: true })}</dd></div>\n`)}</dl>`;
