import * as z from "zod";
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

/** The input as the schemas take it: without nulls for what is left out, booleans in their words. */
export const normalized = (operation: Taking, sent: object): object =>
  withBooleans(operation, withoutNulls(operation, sent));

const BOOLEANS: ReadonlyMap<unknown, readonly [text: string, digit: number]> = new Map<
  unknown,
  readonly [string, number]
>([
  [true, ["true", 1]],
  ["true", ["true", 1]],
  [false, ["false", 0]],
  ["false", ["false", 0]],
]);

function withBooleans({ input, booleans = [] }: Taking, sent: object): object {
  const changed = Object.entries(sent).flatMap(([name, value]) => {
    const words = booleans.includes(name) ? BOOLEANS.get(value) : undefined;
    if (words === undefined) return [];
    const [text, digit] = words;
    return [[name, input.shape[name]?.safeParse(text).success === true ? text : digit] as const];
  });
  return changed.length === 0 ? sent : { ...sent, ...Object.fromEntries(changed) };
}

/** Typed clients send nulls for what they leave out. */
function withoutNulls({ input }: Taking, sent: object): object {
  const absent = Object.entries(sent).flatMap(([name, value]) => {
    const field = Object.hasOwn(input.shape, name) ? input.shape[name] : undefined;
    return value === null && field !== undefined && nullIsAbsent(field) ? [name] : [];
  });
  if (absent.length === 0) return sent;
  return Object.fromEntries(Object.entries(sent).filter(([name]) => !absent.includes(name)));
}
