import * as z from "zod";
import { spelled } from "../words/spelling.ts";
import type { Operation } from "./operation.ts";

type Taking = Pick<Operation, "input" | "booleans">;

/** Fields of the input, in the record's order; true means that it may be left out. */
export const fieldsOf = ({ input }: Taking): readonly (readonly [string, boolean])[] =>
  Object.entries(input.shape).map(([name, field]) => [name, z.safeParse(field, undefined).success]);

/** Their names; a question mark follows an optional one. */
export const fieldNames = (operation: Taking): string[] =>
  fieldsOf(operation).map(([name, optional]) => (optional ? `${name}?` : name));

/** Whether null stands for leaving the field out: it is optional, and its schema has no null. */
const nullIsAbsent = (field: z.core.$ZodType): boolean =>
  z.safeParse(field, undefined).success && !z.safeParse(field, null).success;

/**
 * The input as the schemas take it: fields under their own names, without nulls for what is left out, booleans in
 * their words.
 */
export const normalized = (operation: Taking, sent: object): object =>
  withBooleans(operation, withoutNulls(operation, spelled(operation, sent)));

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
export const booleansOf = ({ input, booleans = [] }: Taking): readonly string[] =>
  "dry_run" in input.shape ? [...booleans, "dry_run"] : booleans;

function withBooleans(operation: Taking, sent: object): object {
  const { input } = operation;
  const changed = booleansOf(operation).flatMap((name) => {
    const words = BOOLEANS.get(sentAs(sent, name));
    if (words === undefined) return [];
    const [text, digit] = words;
    return [[name, input.shape[name]?.safeParse(text).success === true ? text : digit] as const];
  });
  return changed.length === 0 ? sent : { ...sent, ...Object.fromEntries(changed) };
}

/** Typed clients send nulls for what they leave out. */
function withoutNulls({ input }: Taking, sent: object): object {
  const absent = Object.keys(input.shape).filter((name) => {
    const field = input.shape[name];
    return sentAs(sent, name) === null && field !== undefined && nullIsAbsent(field);
  });
  if (absent.length === 0) return sent;
  const left: Record<string, unknown> = { ...sent };
  for (const name of absent) delete left[name];
  return left;
}
