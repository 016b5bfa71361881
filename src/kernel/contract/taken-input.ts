import type * as z from "zod";
import type { Seconds } from "../time.ts";
import { meant } from "../words/meaning.ts";
import { booleansOf } from "./fields.ts";
import type { Operation } from "./operation.ts";

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
