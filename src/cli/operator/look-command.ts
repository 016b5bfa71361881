import { isoOf } from "../../kernel/iso-time.ts";
import { inThousands } from "../../kernel/money.ts";
import { xnoOf } from "../../kernel/nano.ts";
import { type Column, handleIn, type List, type Look, type Row } from "../../operator/look.ts";
import type { Command } from "../command/command.ts";
import { plain } from "../command/plain.ts";
import { operatorCommand } from "./operator-command.ts";

/** A text of a stranger in a table: one line, cut. */
const TEXT_WIDTH = 60;

/** A look as a command: a table, or one thing with its lists. */
export const lookCommand = ({
  see,
  acts: _,
  shows: __,
  columns: ___,
  scans: ____,
  ...words
}: Look): Command =>
  operatorCommand({
    ...words,
    looks: true,
    async run({ service: { context }, values }) {
      const { thing, lists, next } = await see(context, values);
      const rows = Object.fromEntries(lists.map(({ name, rows: of }) => [name, of]));
      if (thing === null) {
        const [list] = lists;
        return { text: list === undefined ? "" : tableOf(list, next), facts: { ...rows, next } };
      }
      const parts = [
        factLines(thing.columns, thing.row),
        ...lists.map((list) => `${list.title}\n${tableOf(list, null)}`),
      ];
      return { text: parts.join("\n\n"), facts: { ...thing.row, ...rows } };
    },
  });

/** One line for each row, under the titles; the last one says how to continue. */
function tableOf({ columns, rows }: List, next: number | null): string {
  if (rows.length === 0) return "There is none.";
  const lines = [columns.map(({ title }) => title), ...rows.map((row) => cellsOf(columns, row))];
  const widths = columns.map((_, i) => Math.max(...lines.map((cells) => cells[i]?.length ?? 0)));
  const isRight = columns.map(({ as }) =>
    ["id", "number", "bytes", "raw", "usd", "coin"].includes(as),
  );
  const table = lines.map((cells) =>
    cells
      .map((cell, i) => (isRight[i] ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
  return [...table, ...(next === null ? [] : [`There are more: go on from ${next}.`])].join("\n");
}

const cellsOf = (columns: readonly Column[], row: Row): string[] =>
  columns.map((column) => {
    const text = plain(cellText(column, row).replaceAll(/\s+/g, " "));
    return text.length > TEXT_WIDTH ? `${text.slice(0, TEXT_WIDTH - 1)}…` : text;
  });

function factLines(columns: readonly Column[], row: Row): string {
  const width = Math.max(...columns.map(({ title }) => title.length));
  return columns
    .map((column) => {
      const lines = cellText(column, row).split("\n").map(plain);
      return `${column.title.padEnd(width)}  ${lines.join(`\n${" ".repeat(width + 2)}`)}`.trimEnd();
    })
    .join("\n");
}

function cellText({ key, as }: Column, row: Row): string {
  const value = row[key] ?? null;
  if (value === null) return "-";
  if (as === "agent") return String(handleIn(key, row) ?? value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (as === "raw") return `${xnoOf(BigInt(value))} XNO`;
  if (typeof value === "string") return value;
  if (as === "usd") return `${value / 1_000_000} USD`;
  if (as === "coin") return inThousands(BigInt(value));
  if (as === "time") return isoOf(value);
  return as === "id" ? String(value) : value.toLocaleString("en");
}
