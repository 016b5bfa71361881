import { CSV_ROWS_MAX, cellText, csvOf } from "../../domains/operator/cells.ts";
import type { Column, List, Look, Row } from "../../domains/operator/look.ts";
import { onOrOff } from "../../domains/operator/values.ts";
import { plain } from "../../verify/plain.ts";
import type { Command } from "../command/command.ts";
import { operatorCommand } from "./operator-command.ts";

/** A text of a stranger in a table: one line, cut. */
const TEXT_WIDTH = 60;

/** Where a list of rows comes as a file for a program. */
const CSV = { csv: onOrOff.describe("as CSV, with 1,000 rows unless --limit says less") };

/** A look as a command: a table, or one thing with its lists. */
export const lookCommand = (look: Look): Command =>
  look.shows === "list" ? listCommand(look) : thingCommand(look);

function wordsOf({ name, summary, about, operands }: Look) {
  return {
    name,
    summary,
    ...(about && { about }),
    ...(operands && { operands }),
    looks: true as const,
  };
}

const listCommand = (look: Look): Command =>
  operatorCommand({
    ...wordsOf(look),
    input: look.input.extend(CSV),
    async run({ service: { context }, values: { csv, ...values } }) {
      const limit = csv === true ? { limit: CSV_ROWS_MAX } : {};
      process.send?.("begun"); // To the console, which bounds the look from here on.
      const { lists, next } = await look.see(context, { ...limit, ...values });
      const rows = Object.fromEntries(lists.map(({ name, rows: of }) => [name, of]));
      const goesOn = look.goesOn ?? "before";
      const [list] = lists;
      const text =
        list === undefined ? "" : csv === true ? csvOf(list, next) : tableOf(list, next, goesOn);
      return { text, facts: { ...rows, next } };
    },
  });

const thingCommand = (look: Look): Command =>
  operatorCommand({
    ...wordsOf(look),
    input: look.input,
    async run({ service: { context }, values }) {
      const { thing, lists } = await look.see(context, values);
      const rows = Object.fromEntries(lists.map(({ name, rows: of }) => [name, of]));
      const parts = [
        ...(thing === null ? [] : [factLines(thing.columns, thing.row)]),
        ...lists.map((list) => `${list.title}\n${tableOf(list, null, "before")}`),
      ];
      return { text: parts.join("\n\n"), facts: { ...thing?.row, ...rows } };
    },
  });

/** One line for each row, under the titles; the last one says how to continue. */
function tableOf({ columns, rows }: List, next: number | null, goesOn: string): string {
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
  const more = next === null ? [] : [`There are more: go on with --${goesOn} ${next}.`];
  return [...table, ...more].join("\n");
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
