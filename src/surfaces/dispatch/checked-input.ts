import type * as z from "zod";
import { booleansOf } from "../../kernel/contract/fields.ts";
import type { Operation } from "../../kernel/contract/operation.ts";
import type { Seconds } from "../../kernel/time.ts";
import { meant } from "../../kernel/words/meaning.ts";
import { DEPTH_MAX, parseJson } from "../wire/body.ts";
import { problemOf } from "./problems.ts";
import { refusalOf } from "./teaching.ts";

/** An operation, as far as its input goes. */
interface Checked<In extends z.ZodObject>
  extends Pick<Operation, "method" | "path" | "errors" | "booleans"> {
  readonly input: In;
}

/**
 * The input as its schema gives it, and as it was sent; what was refused is looked at once more for what it can only
 * mean. Rejects with `validation_failed`, or with the 404 of an operation whose path holds no id.
 */
export function checkedInput<In extends z.ZodObject>(
  operation: Checked<In>,
  sent: object,
  { now, isStrict }: { readonly now: Seconds; readonly isStrict: boolean },
): { readonly sent: object; readonly input: z.output<In> } {
  const first = operation.input.safeParse(sent, { error: problemOf });
  if (first.success) return { sent, input: first.data };
  const fields = new Set(first.error.issues.map(({ path: [name] }) => String(name)));
  const changed = meant(operation, sent, {
    fields,
    switches: booleansOf(operation),
    now,
    parse: jsonIn,
  });
  if (changed === null) throw refusalOf(operation, first.error, { sent, isStrict });
  const second = operation.input.safeParse(changed, { error: problemOf });
  if (!second.success) throw refusalOf(operation, second.error, { sent: changed, isStrict });
  return { sent: changed, input: second.data };
}

/** Some hosts send a list or an object as a text. */
function jsonIn(text: string): unknown {
  try {
    return parseJson(text, DEPTH_MAX);
  } catch {
    return undefined;
  }
}
