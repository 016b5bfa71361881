import { toNumber } from "../../../../kernel/money.ts";
import { sha256Hex } from "../../../../ledger/sha256.ts";
import { type Made, rowName } from "../../derived/derived.ts";
import type { Ledger } from "../ledger.ts";
import { MISSING, type Seen, type Told } from "./seen.ts";

/** An object of an answer, as it was read. */
export type Shown = Readonly<Record<string, unknown>>;

/** The context of a compared value. */
export interface Facts {
  readonly ledger: Ledger;
  /** The row that the object shows; null where the ledger makes none. */
  readonly row: Made | null;
  /** The object that holds the value. */
  readonly of: Shown;
  /** What the answer was asked for. */
  readonly asked: Shown;
  /** The agent that asks with its token; null without one. */
  readonly me: string | null;
  /** The service's clock when it answered. */
  readonly now: number;
  /** The length of the whole answer. */
  readonly bytes: number;
}

/** How a value of an answer is compared. Without `see` it is not, for the reason that it names. */
export interface Rule<in T> {
  readonly see?: (shown: unknown, facts: Facts, seen: Seen, path: string) => void;
  readonly untold?: string;
  /** Of a whole answer: whether the service has to refuse it, because the operator hides what it shows. */
  readonly isHidden?: (facts: Facts) => boolean;
  /** Of an object: the rules of its fields. */
  readonly fields?: Readonly<Record<string, Rule<never>>>;
  /** Of a list: that of its items. */
  readonly each?: Rule<never>;
  /** Of a list: the item gets its position. */
  readonly isOrdered?: true;
  /** Only for the compiler: which values it is for. */
  readonly for?: (value: T) => void;
}

/** A rule for each field of an object: one that is left out does not compile. */
export type Fields<T> = { readonly [Name in keyof T]-?: Rule<T[Name]> };

/** Compares with the result of `of`; compares nothing if the object has no row. */
export const derived = (of: (facts: Facts & { readonly row: Made }) => Told): Rule<unknown> => ({
  see(shown, facts, seen, path) {
    const { row } = facts;
    seen.compare(path, shown, row === null ? MISSING : of({ ...facts, row }));
  },
});

/** The same where no row is needed. */
export const known = (of: (facts: Facts) => Told): Rule<unknown> => ({
  see: (shown, facts, seen, path) => seen.compare(path, shown, of(facts)),
});

/** A column of the row. */
export const is = (column: string): Rule<unknown> => derived(({ row }) => row[column]);

/** A column that is 1 or 0. */
export const yes = (column: string): Rule<boolean | null> =>
  derived(({ row }) => row[column] === 1);

/** A column in millionths, or nothing. */
export const amount = (column: string): Rule<unknown> =>
  derived(({ row }) => asNumber(row[column]));

export const asNumber = (value: Told): Told => {
  if (typeof value === "bigint") return toNumber(value);
  return value == null ? null : toNumber(BigInt(Number(value)));
};

/** A text of which the row has the SHA-256. */
export const hashed = (column: string): Rule<unknown> => hashedAs(column, (shown) => `${shown}`);

/** The same of what is no text, by the text that was hashed. */
export const hashedAs = (
  column: string,
  textOf: (shown: unknown, facts: Facts) => string,
): Rule<unknown> => ({
  see(shown, facts, seen, path) {
    const hash = shown == null ? null : `SHA-256 ${sha256Hex(textOf(shown, facts))}`;
    const sealed = facts.row === null ? MISSING : facts.row[column];
    seen.compare(path, hash, typeof sealed === "string" ? `SHA-256 ${sealed}` : sealed);
  },
});

/** Fields that are not compared, and why. */
export const untold = (why: string): Rule<unknown> => ({ untold: why });

/** The same word in every answer. */
export const always = (word: Told): Rule<unknown> => known(() => word);

/** An object without a row of its own. */
export const object = <T>(fields: Fields<T>): Rule<T> => ({
  fields,
  see(shown, facts, seen, path) {
    if (!isShown(shown)) return seen.compare(path, shown, MISSING);
    const inner = { ...facts, of: shown };
    for (const [name, rule] of Object.entries<Rule<never>>(fields))
      rule.see?.(shown[name], inner, seen, path === "" ? name : `${path}.${name}`);
    for (const name of Object.keys(shown))
      if (!Object.hasOwn(fields, name)) seen.newer(path === "" ? name : `${path}.${name}`);
  },
});

/** An object that shows a row, of the name that its own fields give. */
export const ofRow = <T>(
  table: string,
  name: (shown: Shown, facts: Facts) => string,
  fields: Fields<T>,
): Rule<T> => {
  const inner = object(fields);
  return {
    ...inner,
    see(shown, facts, seen, path) {
      seen.object();
      const row = isShown(shown) ? facts.ledger.row(table, name(shown, facts)) : undefined;
      inner.see?.(shown, { ...facts, row: row ?? null }, seen, path);
    },
  };
};

/** Rows with a number, which their objects show as their id. */
export const byId = (name: string) => (shown: Shown) => rowName(name, Number(shown["id"]));

/** What a rule says of the parts of its values. */
export const inside = ({ fields, each }: Rule<never>) => ({
  ...(fields && { fields }),
  ...(each && { each }),
});

/** Null, or what the rule is for; whether it is null is compared, too. */
export const orNull = <T>(
  isThere: (facts: Facts & { readonly row: Made }) => boolean,
  rule: Rule<T>,
): Rule<T | null> => ({
  ...inside(rule),
  see(shown, facts, seen, path) {
    const expected = facts.row !== null && isThere({ ...facts, row: facts.row });
    if (expected !== (shown !== null)) seen.compare(path, shown, expected ? "an object" : null);
    else if (shown !== null) rule.see?.(shown, facts, seen, path);
  },
});

/** An agent by the name that a column has, with its handle. */
export const agent = (column: string): Rule<AgentShown> => ofAgent(({ row }) => row?.[column]);

interface AgentShown {
  readonly agent_id: string;
  readonly handle: string | null;
}

/** An agent whose name follows from the facts. */
export const ofAgent = (name: (facts: Facts) => Told): Rule<AgentShown> => {
  const fields = {
    agent_id: known((facts) => (facts.row === null ? "nobody" : name(facts))),
    handle: known((facts) => facts.ledger.handleOf(name(facts))),
  };
  return object<AgentShown>(fields);
};

export const isShown = (value: unknown): value is Shown =>
  typeof value === "object" && value !== null && !Array.isArray(value);
