import { isoOf } from "../../platform/kernel/iso-time.ts";
import { inThousands } from "../../platform/kernel/money.ts";
import { xnoOf } from "../../platform/kernel/nano.ts";
import { type Column, handleIn, type List, type Row } from "./look.ts";

/** Rows of a list as CSV. */
export const CSV_ROWS_MAX = 1_000;

/** A value as a table of text shows it. */
export function cellText(column: Column, row: Row): string {
  const { key, as } = column;
  const value = row[key] ?? null;
  if (value === null) return "-";
  if (typeof value === "number" && as === "coin") return inThousands(BigInt(value));
  if (as === "raw") return `${xnoOf(BigInt(value))} XNO`;
  if (typeof value === "number" && as === "usd") return `${value / 1_000_000} USD`;
  if (typeof value === "number" && as !== "id" && as !== "time") return value.toLocaleString("en");
  return wordOf(column, row);
}

/** What both forms have in common: a name, a time in UTC, a text as it is. */
function wordOf({ key, as }: Column, row: Row): string {
  const value = row[key] ?? "";
  if (as === "agent") return String(handleIn(key, row) ?? value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "number" && as === "time" ? isoOf(value) : String(value);
}

/** A program for tables takes a cell that begins so for a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const NEEDS_QUOTES = /[",\r\n]/;

function csvCell(column: Column, row: Row): string {
  const { key, as } = column;
  const value = row[key] ?? null;
  if (value === null) return "";
  if (as === "raw") return xnoOf(BigInt(value));
  if (typeof value === "number" && (as === "usd" || as === "coin"))
    return String(value / 1_000_000);
  const text = wordOf(column, row);
  const safe = typeof value !== "number" && FORMULA.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/**
 * A list as CSV (RFC 4180, with line feeds). A text that looks like a formula gets an apostrophe in front.
 * A last line says so where there is more.
 */
export function csvOf({ columns, rows }: List, next: number | null): string {
  const head = columns.map(({ title }) => title).join(",");
  const lines = rows.map((row) => columns.map((column) => csvCell(column, row)).join(","));
  const more = next === null ? [] : [`There are more: go on from ${next}.`];
  return `${[head, ...lines, ...more].join("\n")}\n`;
}
