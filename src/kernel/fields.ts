import * as z from "zod";
import type { Operation } from "./operation.ts";

type Taking = Pick<Operation, "input">;

/** Fields of the input, in the record's order; true means that it may be left out. */
export const fieldsOf = ({ input }: Taking): readonly (readonly [string, boolean])[] =>
  Object.entries(input.shape).map(([name, field]) => [name, z.safeParse(field, undefined).success]);

/** Their names; a question mark follows an optional one. */
export const fieldNames = (operation: Taking): string[] =>
  fieldsOf(operation).map(([name, optional]) => (optional ? `${name}?` : name));

/** Whether null stands for leaving the field out: it is optional, and its schema has no null. */
const nullIsAbsent = (field: z.core.$ZodType): boolean =>
  z.safeParse(field, undefined).success && !z.safeParse(field, null).success;

/** The input without such nulls: typed clients send them for what they leave out. */
export function withoutNulls({ input }: Taking, sent: object): object {
  const absent = Object.entries(sent).flatMap(([name, value]) => {
    const field = Object.hasOwn(input.shape, name) ? input.shape[name] : undefined;
    return value === null && field !== undefined && nullIsAbsent(field) ? [name] : [];
  });
  if (absent.length === 0) return sent;
  return Object.fromEntries(Object.entries(sent).filter(([name]) => !absent.includes(name)));
}
