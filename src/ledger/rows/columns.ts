import type { Entry, Row, Told, Value } from "./told.ts";

/**
 * The source that decides whether a column is right.
 *
 * - `sealed`: an entry has the value, or the hash of the text.
 * - `newly`: the same, in entries of this version; older ones lack the field.
 * - `derived`: a fold over entries, or over columns that are compared.
 * - `timed`: the second of an entry, or up to a minute before it.
 * - `key`: a number by which rows refer to each other; the ledger knows the row by name.
 * - `chain`: the chain itself, which `cairn verify` walks.
 * - `private`: not public, so no entry contains it.
 * - `local`: work in progress, and figures of this service alone.
 */
export type Class =
  | "sealed"
  | "newly"
  | "derived"
  | "timed"
  | "key"
  | "chain"
  | "private"
  | "local";

/** The classes that the audit of a file compares. */
export const DETERMINED: readonly Class[] = ["sealed", "newly", "derived", "timed", "key"];

/** A value of a row that stands there as it is. */
export type Literal = string | number | null;

/** The field of an entry that has the value of a column. */
interface Field<F extends string> {
  readonly from: "field";
  readonly field: F;
  readonly is: "sealed" | "newly";
  /** The value of the column where the entry lacks the field, which it does where this is the value. */
  readonly or?: string | number;
}

/** The same of the number of a row, which the engine draws. */
interface Id<F extends string> {
  readonly from: "id";
  readonly field: F;
  readonly is: "sealed";
}

/** An agent: the entry has its name, the row its number. */
interface AgentOf<F extends string> {
  readonly from: "agent";
  readonly field: F;
  readonly is: "sealed";
}

/** How a handler reads a text that an entry has by its hash: as it is, or as JSON in one of these shapes. */
export type TextForm = "text" | "json" | "parts" | "criterion";

/** A text, of which the entry has the SHA-256. */
interface Text<F extends string> {
  readonly from: "text";
  readonly field: F;
  readonly form: TextForm;
  readonly is: "sealed" | "newly";
}

/** The second of the entry. */
interface Time {
  readonly from: "time";
  readonly is: "timed";
}

/** The kind or the name of the entry. */
interface Named {
  readonly from: "kind" | "ref";
  readonly is: "sealed";
}

/** The count in which the name of the entry ends. */
interface Count {
  readonly from: "count";
  readonly is: "derived";
}

/** A column that begins with a value and is changed by later entries. */
interface Begins {
  readonly from: "beginning";
  readonly value: Literal;
  /** The storage puts it there. */
  readonly isDefault: boolean;
  readonly is: "sealed" | "derived" | "timed";
}

/** A column that follows from its entry in a way of its own; its writer gives the value. */
interface Made {
  readonly from: "entry";
  readonly is: Class;
  /** As it is compared, of a stored row and of the entry. */
  readonly stored: (row: Row) => Value;
  readonly told: (entry: Entry) => Told;
}

/** A column that follows from the ledger by a fold of its own. */
interface Folded {
  readonly from: "fold";
  readonly is: Class;
}

/** A column that no entry has, and who fills it. */
interface Unsealed<By extends "writer" | "later"> {
  readonly from: "nowhere";
  readonly by: By;
  readonly is: Class;
}

export type Column =
  | Field<string>
  | Id<string>
  | AgentOf<string>
  | Text<string>
  | Time
  | Named
  | Count
  | Begins
  | Folded
  | Made
  | Unsealed<"writer" | "later">;

export type { AgentOf, Begins, Count, Field, Folded, Id, Made, Named, Text, Time, Unsealed };

/** The entry has the value in this field. */
export const sealed = <const F extends string>(
  field: F,
  or: Pick<Field<F>, "or"> = {},
): Field<F> => ({ from: "field", field, is: "sealed", ...or });

/** The same of a field that entries of earlier versions lack. */
export const newly = <const F extends string>(field: F): Field<F> => ({
  ...{ from: "field", field, is: "newly" },
});

/** The number that the storage gives to the row, and the entry has in this field. */
export const drawn = <const F extends string>(field: F): Id<F> => ({
  ...{ from: "id", field, is: "sealed" },
});

/** The agent whose `agent_id` the entry has in this field. */
export const agent = <const F extends string>(field: F): AgentOf<F> => ({
  ...{ from: "agent", field, is: "sealed" },
});

/** The text whose SHA-256 the entry has in this field. */
export const text = <const F extends string>(field: F, form: TextForm = "text"): Text<F> => ({
  ...{ from: "text", field, form, is: "sealed" },
});

/** The same of a field that entries of earlier versions lack. */
export const newText = <const F extends string>(field: F): Text<F> => ({
  ...{ from: "text", field, form: "text", is: "newly" },
});

/** The second in which the entry was made. */
export const time: Time = { from: "time", is: "timed" };

/** The kind of the entry, and its name. */
export const kindName: Named = { from: "kind", is: "sealed" };
export const refName: Named = { from: "ref", is: "sealed" };

/** The count in which the name of the entry ends. */
export const count: Count = { from: "count", is: "derived" };

/** A value that later entries change. */
export const begins = (value: Literal): Begins => ({
  ...{ from: "beginning", value, isDefault: value === null, is: "derived" },
});

/** The same where the storage puts it there by itself. */
export const byDefault = (value: Literal): Begins => ({ ...begins(value), isDefault: true });

/** A time that later entries set. */
export const unset: Begins = { ...begins(null), is: "timed" };

/** A column that follows from its entry in a way of its own. */
export const made = (
  is: Class,
  stored: (row: Row) => Value,
  told: (entry: Entry) => Told,
): Made => ({ from: "entry", is, stored, told });

/** A column that a fold of its own compares. */
export const folded = (is: Class = "derived"): Folded => ({ from: "fold", is });

/** A column that the writer fills and no entry has. */
export const unsealed = (is: "private" | "local"): Unsealed<"writer"> => ({
  ...{ from: "nowhere", by: "writer", is },
});

/** A column of which a new row has nothing, and no entry ever. */
export const laterOn = (is: "private" | "local"): Unsealed<"later"> => ({
  ...{ from: "nowhere", by: "later", is },
});

/** Tables of which no entry determines a row: the class of each column. */
const of =
  <Is extends Class>(is: Is) =>
  <Name extends string>(...names: readonly Name[]): { readonly [Column in Name]: Is } =>
    Object.fromEntries(names.map((name) => [name, is])) as { readonly [Column in Name]: Is };
export const keys = of("key");
export const derived = of("derived");
export const chain = of("chain");
export const secret = of("private");
export const local = of("local");
