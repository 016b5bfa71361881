import type { Db, Tx } from "./engine.ts";

/** A stored value. Integers beyond ±(2^53−1) are refused where they are read. */
export type Cell = null | number | string | Uint8Array;

export interface Column {
  readonly name: string;
  readonly type: "integer" | "text" | "blob";
}

/** A table as the schema of the database itself has it. */
export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  /** The columns of the primary key, in its order. */
  readonly key: readonly string[];
}

/** One committed state of a database, held until it is closed, however much is written meanwhile. */
export interface Snapshot {
  readonly engine: "sqlite" | "postgres";
  /** The names of the migrations that made the schema. */
  readonly schema: readonly string[];
  /** Those of them that a program which does not know them may ignore. */
  readonly expansions: readonly string[];
  /** A table comes after those that its rows refer to. */
  readonly tables: readonly Table[];
  readonly read: Db;
  /** The rows of a SELECT that both engines understand, a page at a time. */
  scan(query: string): AsyncIterable<readonly (readonly Cell[])[]>;
  close(): Promise<void>;
}

/** A database on its way: nobody sees anything of it before `finish` has resolved. */
export interface Draft {
  readonly schema: readonly string[];
  readonly tables: readonly Table[];
  /** The rows inserted so far, for queries and for dependent rows. */
  readonly tx: Tx;
  insert(table: Table, rows: readonly (readonly Cell[])[]): Promise<void>;
  /** All rows are in: what is written from here on gets the numbers after theirs. */
  end(): Promise<void>;
  /** Stores everything, or nothing. */
  finish(): Promise<void>;
  /** Leaves nothing behind; does nothing after `finish`. */
  discard(): Promise<void>;
}

/** No Cairn has ever used the database. */
export class NoSchema extends Error {
  constructor() {
    super("The database holds no ledger.");
  }
}

/**
 * Tables that a service, or a trigger of the database, makes again from the others; no copy of rows
 * has them. LIKE patterns.
 */
const DERIVED_TABLES: readonly string[] = [
  "inbox",
  "inbox\\_progress",
  "search\\_%",
  "%\\_by\\_agent%",
];

/** Tables that say how entries are stored; a copy has these as rows of `ledger_entry`. LIKE patterns. */
const STORAGE_TABLES: readonly string[] = [
  "ledger\\_kind",
  "ledger\\_shape",
  "ledger\\_pending",
  "ledger\\_recent",
  "ledger\\_floor",
];

export const ENTRIES = "ledger_entry";

/** The entries of a copy. */
const ENTRIES_IN_COPY: Table = {
  name: ENTRIES,
  key: ["row_id"],
  columns: [
    { name: "row_id", type: "integer" },
    { name: "kind", type: "text" },
    { name: "ref", type: "text" },
    { name: "body", type: "text" },
    { name: "ledger_id", type: "integer" },
    { name: "at", type: "integer" },
    { name: "entry", type: "text" },
    { name: "leaf", type: "blob" },
  ],
};

/** An SQL condition on the name of a table: whether it is copied. */
export const isCopied = (name: string): string =>
  ["schema\\_migration", ...DERIVED_TABLES, ...STORAGE_TABLES]
    .map((pattern) => `${name} NOT LIKE '${pattern}' ESCAPE '\\'`)
    .join(" AND ");

/** Rows that are read or written at once. */
export const PAGE = 1_000;

/** What an engine says of its tables: a row per column, and a row per reference. */
export interface Described {
  readonly columns: readonly {
    readonly table: string;
    readonly name: string;
    readonly type: string;
    /** The place in the primary key, from 1; 0 outside of it. */
    readonly key: number;
  }[];
  readonly references: readonly { readonly table: string; readonly to: string }[];
}

const TYPES: Readonly<Record<string, Column["type"]>> = {
  integer: "integer",
  bigint: "integer",
  text: "text",
  blob: "blob",
  bytea: "blob",
};

/** The tables in an order in which each comes after those that it refers to. */
export function tablesOf({ columns, references }: Described): readonly Table[] {
  const ordered = new Map<string, Table>();
  const visit = (name: string, path: readonly string[]): void => {
    if (ordered.has(name)) return;
    if (path.includes(name)) throw new TypeError(`Tables refer to each other: ${path.join(", ")}.`);
    for (const { table, to } of references) {
      if (table === name && to !== name) visit(to, [...path, name]);
    }
    ordered.set(name, tableOf(name));
  };
  const tableOf = (name: string): Table => {
    if (name === ENTRIES) return ENTRIES_IN_COPY;
    const own = columns.filter(({ table }) => table === name);
    const key = own.filter((column) => column.key > 0).sort((a, b) => a.key - b.key);
    return {
      name,
      key: key.map((column) => column.name),
      columns: own.map((column) => ({ name: column.name, type: typeOf(column.type) })),
    };
  };
  for (const name of new Set(columns.map(({ table }) => table))) visit(name, []);
  return [...ordered.values()];
}

function typeOf(declared: string): Column["type"] {
  const type = TYPES[declared.toLowerCase()];
  if (type === undefined) throw new TypeError(`The engines do not share the type ${declared}.`);
  return type;
}

/** A list of names as SQL; the names are those of the schema. */
export const named = (names: readonly string[]): string =>
  names.map((name) => `"${name}"`).join(", ");
