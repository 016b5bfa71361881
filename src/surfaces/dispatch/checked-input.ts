import type * as z from "zod";
import { type Taking, takenInput } from "../../platform/kernel/contract/fields.ts";
import type { Operation } from "../../platform/kernel/contract/operation.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import { DEPTH_MAX, parseJson } from "../wire/body.ts";
import { problemOf } from "./problems.ts";
import { refusalOf } from "./teaching.ts";

interface Checked<In extends z.ZodObject>
  extends Taking<In>,
    Pick<Operation, "method" | "path" | "errors"> {}

/**
 * The input as its schema gives it, and as it was sent; what was refused is looked at once more for what it can only
 * mean. Rejects with `validation_failed`, or with the 404 of an operation whose path holds no id.
 */
export function checkedInput<In extends z.ZodObject>(
  operation: Checked<In>,
  sent: object,
  { now, isStrict }: { readonly now: Seconds; readonly isStrict: boolean },
): { readonly sent: object; readonly input: z.output<In> } {
  const taken = takenInput(operation, sent, { now, parse: jsonIn, error: problemOf });
  if ("error" in taken) throw refusalOf(operation, taken.error, { sent: taken.sent, isStrict });
  return taken;
}

/** Some hosts send a list or an object as a text. */
function jsonIn(text: string): unknown {
  try {
    return parseJson(text, DEPTH_MAX);
  } catch {
    return undefined;
  }
}
