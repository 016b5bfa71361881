import * as z from "zod";
import type { Seconds } from "../time.ts";
import { meant } from "../words/meaning.ts";
import { spelled } from "../words/spelling.ts";
import type { Operation } from "./operation.ts";

type Given = Pick<Operation, "input" | "booleans"> & Partial<Pick<Operation, "path">>;

/** Fields of the input, in the record's order; true means that it may be left out. */
export const fieldsOf = ({ input }: Given): readonly (readonly [string, boolean])[] =>
  Object.entries(input.shape).map(([name, field]) => [name, z.safeParse(field, undefined).success]);

/** Their names; a question mark follows an optional one. */
export const fieldNames = (operation: Given): string[] =>
  fieldsOf(operation).map(([name, optional]) => (optional ? `${name}?` : name));

/** Whether null stands for leaving the field out: it is optional, and its schema has no null. */
const nullIsAbsent = (field: z.core.$ZodType): boolean =>
  z.safeParse(field, undefined).success && !z.safeParse(field, null).success;

/**
 * The input as the schemas take it: fields under their own names, without nulls for what is left out, booleans in
 * their words.
 */
export function normalized(operation: Given, sent: object): object {
  const named = spelled(operation, sent);
  return Object.values(named).some(isToNormalize)
    ? withBooleans(operation, withoutNulls(operation.input, named))
    : named;
}

/** Most inputs hold no null, no list and no word of a boolean. */
const isToNormalize = (value: unknown): boolean => typeof value === "object" || BOOLEANS.has(value);

/** The value under a name; undefined where none was sent. */
const sentAs = (sent: object, name: string): unknown =>
  Object.hasOwn(sent, name) ? Reflect.get(sent, name) : undefined;

const BOOLEANS: ReadonlyMap<unknown, readonly [text: string, digit: number]> = new Map<
  unknown,
  readonly [string, number]
>([
  [true, ["true", 1]],
  ["true", ["true", 1]],
  [false, ["false", 0]],
  ["false", ["false", 0]],
]);

/** Fields that take true and false: those that an operation names, and the one that every write has. */
export const booleansOf = ({ input, booleans = [] }: Given): readonly string[] =>
  "dry_run" in input.shape ? [...booleans, "dry_run"] : booleans;

function withBooleans(operation: Given, sent: object): object {
  const { input } = operation;
  const changed = booleansOf(operation).flatMap((name) => {
    const words = BOOLEANS.get(sentAs(sent, name));
    if (words === undefined) return [];
    const [text, digit] = words;
    return [[name, input.shape[name]?.safeParse(text).success === true ? text : digit] as const];
  });
  return changed.length === 0 ? sent : { ...sent, ...Object.fromEntries(changed) };
}

/** Typed clients send nulls for what they leave out, in the objects of a list, too. */
function withoutNulls({ shape }: z.ZodObject, sent: object): object {
  let left: Record<string, unknown> | undefined;
  for (const [name, field] of Object.entries(shape)) {
    const value = sentAs(sent, name);
    if (value === null && nullIsAbsent(field)) {
      left ??= { ...sent };
      delete left[name];
    } else if (Array.isArray(value)) {
      const list = withoutNullsInside(field, value);
      if (list !== value) left = { ...(left ?? sent), [name]: list };
    }
  }
  return left ?? sent;
}

function withoutNullsInside(field: z.core.$ZodType, list: readonly unknown[]): readonly unknown[] {
  const core = field instanceof z.ZodOptional ? field.unwrap() : field;
  const item = core instanceof z.ZodArray ? core.element : null;
  if (!(item instanceof z.ZodObject)) return list;
  const left = list.map((each) =>
    typeof each === "object" && each !== null ? withoutNulls(item, each) : each,
  );
  return left.some((each, i) => each !== list[i]) ? left : list;
}

/** An operation, as far as its input goes. */
export interface Taking<In extends z.ZodObject> extends Pick<Operation, "path" | "booleans"> {
  readonly input: In;
}

interface Reading {
  readonly now: Seconds;
  /** The value of a text of JSON; undefined where it is none. */
  readonly parse: (text: string) => unknown;
  /** Words for what the schema refuses. */
  readonly error?: z.core.$ZodErrorMap;
}

/** An input as its schema gives it, and as it was sent, or the reason why the schema refuses that. */
export type Taken<In extends z.ZodObject> =
  | { readonly sent: object; readonly input: z.output<In> }
  | { readonly sent: object; readonly error: z.ZodError };

/** What the schema takes; what it refuses is looked at once more for what it can only mean. */
export function takenInput<In extends z.ZodObject>(
  operation: Taking<In>,
  sent: object,
  { now, parse, error }: Reading,
): Taken<In> {
  const words = error && { error };
  const first = operation.input.safeParse(sent, words);
  if (first.success) return { sent, input: first.data };
  const fields = new Set(first.error.issues.map(({ path: [name] }) => String(name)));
  const switches = booleansOf(operation);
  const changed = meant(operation, sent, { fields, switches, now, parse });
  if (changed === null) return { sent, error: first.error };
  const second = operation.input.safeParse(changed, words);
  return second.success
    ? { sent: changed, input: second.data }
    : { sent: changed, error: second.error };
}
