import { crc32 } from "node:zlib";
import * as z from "zod";
import { views } from "../../domains/views/contract.ts";
import { ledger, seal } from "../../platform/ledger/contract.ts";

/** Of a migration, a table or a column: it appears in messages. */
const name = z.string().regex(/^[\w-]{1,100}$/);

/** The first line of an export: that of a saved chain, and what else follows. */
export const exportHeader = z.object({
  type: z.literal("cairn-export"),
  version: z.literal(1),
  origin: z.string().regex(/^\P{C}{1,300}$/u),
  keys: ledger.verify.output.shape.keys.readonly(),
  /** Whether every entry stands before its seal. */
  entries: z.boolean(),
  /** Where the chain ended then, so that a copy that was cut shows. */
  head: z.object({ seq: z.int(), seal_hash: z.string() }).nullable(),
  /** The names of the migrations that made the schema. */
  schema: z.array(name),
  /** Every table, each after those that it refers to. */
  tables: z.array(z.object({ name, columns: z.array(name), rows: z.int() })),
});

/** A value as it stands in a row: bytes are base64url. */
const cell = z.union([z.null(), z.int(), z.string()]);

/**
 * Every later line. First the chain, in the order in which it is verified; then the rows of the
 * other tables, and entries that had no id yet; at last, what the lines before come to.
 */
export const exportRecord = z.discriminatedUnion("type", [
  views.since.output.shape.entries.element
    .required({ entry: true, leaf: true })
    .extend({ type: z.literal("entry"), row_id: z.int() }),
  seal.extend({ type: z.literal("seal") }),
  z.object({ type: z.literal("row"), table: name, cells: z.array(cell) }),
  z.object({ type: z.literal("end"), lines: z.int(), sha256: z.string() }),
]);

export type ExportHeader = z.infer<typeof exportHeader>;
export type ExportRecord = z.infer<typeof exportRecord>;

const MARK = ',"crc32":"';
const SUM = /^[0-9a-f]{8}"\}$/;

/** A line whose last field detects changes. `json` is the text of an object. */
export const lineOf = (json: string): string => `${json.slice(0, -1)}${MARK}${sumOf(json)}"}\n`;

/** Whether a line is as it was written. */
export function isWhole(line: string): boolean {
  const mark = line.lastIndexOf(MARK);
  const sum = line.slice(mark + MARK.length);
  return mark > 0 && SUM.test(sum) && sum === `${sumOf(`${line.slice(0, mark)}}`)}"}`;
}

const sumOf = (json: string): string => crc32(json).toString(16).padStart(8, "0");
