import { Rejection } from "../../platform/kernel/contract/errors.ts";
import { isEmpty, plainName, TRIED_OR_MARKED } from "../../platform/kernel/words/reserved-names.ts";

/**
 * The refusal of a call with a trial, a mark or a time beside its arguments or in its `_meta`, where the protocol drops
 * it; null of any other. `params`: as they came.
 */
export function strayIn(params: object): Rejection | null {
  const places = [
    ["stands beside `arguments`", params],
    ["stands in `_meta`", Object(Reflect.get(params, "_meta"))],
  ] as const;
  for (const [where, place] of places)
    for (const [name, value] of Object.entries(place)) {
      const field = plainName(name);
      if (!TRIED_OR_MARKED.has(field) || isEmpty(value)) continue;
      const problem = `${where}; put it inside \`arguments\``;
      const details = [{ field, problem }];
      return new Rejection(
        "validation_failed",
        `\`${field}\` ${problem}. Nothing was done.`,
        details,
      );
    }
  return null;
}
