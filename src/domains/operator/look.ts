import * as z from "zod";
import type { ServiceContext } from "../../platform/context.ts";
import type { Act } from "./act.ts";
import { id, whole } from "./values.ts";

type Cell = string | number | boolean | null;

/** A thing, or a line of a list. An agent is `agent_id` with its `handle`, or null, beside it. */
export type Row = Readonly<Record<string, Cell>>;

/** How a value is shown: a time is in Unix seconds, raw is decimal text, a text is a stranger's. */
type Sort = "id" | "number" | "bytes" | "time" | "agent" | "word" | "text" | "raw" | "usd" | "coin";

export interface Column {
  readonly key: string;
  readonly title: string;
  readonly as: Sort;
  /** The look that shows what the value names. */
  readonly opens?: string;
  /** The key of the row that names this look, where rows differ. */
  readonly opensBy?: string;
  /** Whether the console rounds an amount of XNO; the page of the thing has it whole. */
  readonly isBrief?: true;
}

/** An agent's handle, which stands beside its `agent_id`, or beside another name of it, as `buyer_handle`. */
export const handleIn = (key: string, row: Row) =>
  row[key === "agent_id" ? "handle" : `${key}_handle`] ?? null;

export interface List {
  /** Its name in JSON: `rows` of a look that is one list. */
  readonly name: string;
  readonly title: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
}

/** The content of a look: a thing with its texts and lists, or one list. */
export interface Seen {
  readonly thing: { readonly columns: readonly Column[]; readonly row: Row } | null;
  readonly lists: readonly List[];
  /** Of one list, what `--before` or `--after` takes to go on; null at its end. */
  readonly next: number | null;
}

export type Needs = Pick<
  ServiceContext,
  "read" | "snapshot" | "clock" | "reject" | "settings" | "rewardPool" | "isProven"
>;

/** A view for the operator: a table, JSON, or a page of the console. */
export interface Look {
  /** As it is typed: `post list`. */
  readonly name: string;
  readonly summary: string;
  readonly about?: string;
  readonly input: z.ZodObject;
  readonly operands?: readonly string[];
  /** What this state allows: to the thing that it shows, or beside a list. */
  acts?(seen: SeenThing): readonly Offered[];
  /** Of a list: what may be done to all rows that are ticked, and the value that names a row. */
  readonly bulk?: (values: Readonly<Record<string, unknown>>) => Bulk | null;
  readonly shows: "list" | "thing";
  /** Of a list: its columns, and the value by which it goes on. */
  readonly columns?: readonly Column[];
  readonly goesOn?: "before" | "after" | null;
  /** Whether it reads whole tables: then the console has a process of its own do it. */
  scans?(values: Readonly<Record<string, unknown>>): boolean;
  see(context: Needs, values: Readonly<Record<string, unknown>>): Promise<Seen>;
}

/** An act, and those of its values that are known already. */
export interface Offered {
  readonly act: Act;
  readonly given: Readonly<Record<string, Cell | undefined>>;
}

export const offered = (act: Act, given: Offered["given"] = {}): Offered => ({ act, given });

/** An act on many rows of a list. */
interface Bulk {
  readonly act: Act;
  /** The column that the act's first value is of. */
  readonly key: string;
  /** Other values that follow from what the page shows. */
  readonly given?: (rows: readonly Row[]) => Offered["given"];
}

type Words = Pick<Look, "name" | "summary" | "about" | "acts" | "bulk" | "scans">;
const LIMIT = { fallback: 50, max: 1_000 };

/** Where a list goes on: behind this id of its order. */
interface Part {
  readonly limit: number;
  readonly from: number | undefined;
}

interface ListRecord<I extends z.ZodObject> extends Words {
  readonly input: I;
  readonly operands?: readonly (keyof z.output<I> & string)[];
  readonly columns: readonly Column[];
  /** `before`: newest first, `after`: oldest first, `null`: it has one page. */
  readonly goesOn: "before" | "after" | null;
  rows(context: Needs, values: z.output<I>, part: Part): Promise<readonly Row[]>;
  /** The place of a row in the order. */
  readonly placeOf?: (row: Row) => Cell | undefined;
}

const PART = {
  before: { before: id.optional().describe("only what is older than this id") },
  after: { after: id.optional().describe("only what comes after this id") },
};

/** A list: `rows` is asked for one row more than is shown. */
export function list<I extends z.ZodObject>(record: ListRecord<I>): Look {
  const { columns, goesOn, placeOf = (row: Row) => row["id"], ...words } = record;
  const { rows }: Pick<ListRecord<z.ZodObject>, "rows"> = record;
  const limits = {
    limit: whole("N", 1, LIMIT.max)
      .optional()
      .describe(`rows at most; ${LIMIT.fallback} by default`),
  };
  return {
    ...words,
    columns,
    goesOn,
    shows: "list",
    input: record.input.extend({ ...limits, ...(goesOn === null ? {} : PART[goesOn]) }),
    async see(context, values) {
      const { limit = LIMIT.fallback, from } = PARTS.parse({
        limit: values["limit"],
        from: values[goesOn ?? ""],
      });
      const found = await rows(context, values, { limit: limit + 1, from });
      const shown = found.slice(0, limit);
      const last = shown.at(-1);
      const place = found.length > limit && last !== undefined ? placeOf(last) : null;
      return {
        thing: null,
        lists: [{ name: "rows", title: "", columns, rows: shown }],
        next: goesOn !== null && typeof place === "number" ? place : null,
      };
    },
  };
}

const PARTS = z.object({ limit: z.number().optional(), from: z.number().optional() });

export interface SeenThing {
  readonly row: Row;
  readonly lists: readonly List[];
}

interface ThingRecord<I extends z.ZodObject> extends Words {
  readonly input: I;
  readonly operands: readonly (keyof z.output<I> & string)[];
  readonly columns: readonly Column[];
  /** Rejects when there is no such thing. */
  see(context: Needs, values: z.output<I>): Promise<SeenThing>;
}

/** One thing, with what belongs to it. */
export function thing<I extends z.ZodObject>(record: ThingRecord<I>): Look {
  const { columns, ...words } = record;
  const { see }: Pick<ThingRecord<z.ZodObject>, "see"> = record;
  return {
    ...words,
    shows: "thing",
    async see(context, values) {
      const { row, lists } = await see(context, values);
      return { thing: { columns, row }, lists, next: null };
    },
  };
}
