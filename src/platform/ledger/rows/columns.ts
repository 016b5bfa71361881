import type { Entry, Row, Told, Value } from "./told.ts";

/**
 * The source that decides whether a column is right.
 *
 * - `sealed`: an entry has the value, or the hash of the text.
 * - `derived`: a fold over entries, or over columns that are compared.
 * - `timed`: the second of an entry, or up to a minute before it.
 * - `key`: a number by which rows refer to each other; the ledger knows the row by name.
 * - `chain`: the chain itself, which `cairn verify` walks.
 * - `private`: not public, so no entry contains it.
 * - `local`: work in progress, and figures of this service alone.
 */
export type Class = "sealed" | "derived" | "timed" | "key" | "chain" | "private" | "local";

/** The classes that the audit of a file compares. */
export const DETERMINED: readonly Class[] = ["sealed", "derived", "timed", "key"];

/** A value of a row that stands there as it is. */
export type Literal = string | number | null;

/** The field of an entry that has the value of a column. */
interface Field<F extends string> {
  readonly from: "field";
  readonly field: F;
  readonly is: "sealed";
  /** The value of the column where the entry lacks the field, which it does where this is the value. */
  readonly or?: string | number;
}

/** The same of the number of a row, which the engine draws. */
interface Id<F extends string> {
  readonly from: "id";
  readonly field: F;
  readonly is: "sealed";
}

/** The number of a row, which the engine draws and no entry has. */
interface Numbered {
  readonly from: "number";
  readonly is: "key";
}

/** An agent: the entry has its name, the row its number. */
interface AgentOf<F extends string> {
  readonly from: "agent";
  readonly field: F;
  readonly is: "sealed";
}

/**
 * How a handler reads a text that an entry has by its hash: as it is, or as JSON in one of these shapes. Of a signed
 * text the entry has all but the origin.
 */
export type TextForm = "text" | "json" | "parts" | "criterion" | "signed";

/** A text, of which the entry has the SHA-256. */
interface Text<F extends string> {
  readonly from: "text";
  readonly field: F;
  readonly form: TextForm;
  readonly is: "sealed";
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
  /** The fields of the entry that follow from what its writer gives. */
  readonly seals?: (given: Given) => Readonly<Record<string, string | undefined>>;
  /** It is compared as the SHA-256 of a text in this form. */
  readonly form?: TextForm;
}

/** All that a writer gives. */
type Given = Readonly<Record<string, unknown>>;

/** Fields with the numbers of several rows, or else of one. */
interface Listed<F extends string> {
  readonly from: "list";
  /** The numbers with commas between them. */
  readonly field: F;
  /** The field with one number, in entries that lack the other. */
  readonly or?: string;
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
  | Numbered
  | AgentOf<string>
  | Text<string>
  | Time
  | Named
  | Count
  | Begins
  | Folded
  | Made
  | Unsealed<"writer" | "later">;

export type {
  AgentOf,
  Begins,
  Count,
  Field,
  Folded,
  Id,
  Listed,
  Made,
  Named,
  Text,
  Time,
  Unsealed,
};

/** The entry has the value in this field. */
export const sealed = <const F extends string>(
  field: F,
  or: Pick<Field<F>, "or"> = {},
): Field<F> => ({ from: "field", field, is: "sealed", ...or });

/** The number that the storage gives to the row, and the entry has in this field. */
export const drawn = <const F extends string>(field: F): Id<F> => ({
  from: "id",
  field,
  is: "sealed",
});

/** The number that the storage gives to the row; entries name the row otherwise. */
export const numbered: Numbered = { from: "number", is: "key" };

/** The agent whose `agent_id` the entry has in this field. */
export const agent = <const F extends string>(field: F): AgentOf<F> => ({
  from: "agent",
  field,
  is: "sealed",
});

/** The text whose SHA-256 the entry has in this field. */
export const text = <const F extends string>(field: F, form: TextForm = "text"): Text<F> => ({
  from: "text",
  field,
  form,
  is: "sealed",
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
  from: "beginning",
  value,
  isDefault: value === null,
  is: "derived",
});

/** The same where the storage puts it there by itself. */
export const byDefault = (value: Literal): Begins => ({ ...begins(value), isDefault: true });

/** The same of a value that a later entry has. */
export const sealedLater = (value: Literal): Begins => ({ ...byDefault(value), is: "sealed" });

/** A time that later entries set. */
export const unset: Begins = { ...begins(null), is: "timed" };

/** A column that follows from its entry in a way of its own. */
export const made = (
  is: Class,
  stored: (row: Row) => Value,
  told: (entry: Entry) => Told,
  more: Pick<Made, "seals" | "form"> = {},
): Made => ({ from: "entry", is, stored, told, ...more });

/** The rows whose numbers a field lists, or the one whose number another field has. */
export const each = <const F extends string>(field: F, or?: string): Listed<F> => ({
  from: "list",
  field,
  ...(or !== undefined && { or }),
});

/** A column that a fold of its own compares; its writer gives the value, or the storage does. */
export const folded = (is: Class = "derived"): Folded => ({ from: "fold", is });

/** A column that the writer fills and no entry has. */
export const unsealed = (is: "private" | "local"): Unsealed<"writer"> => ({
  from: "nowhere",
  by: "writer",
  is,
});

/** A column of which a new row has nothing, and no entry ever. */
export const laterOn = (is: "private" | "local"): Unsealed<"later"> => ({
  from: "nowhere",
  by: "later",
  is,
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
