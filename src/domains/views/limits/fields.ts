import type * as z from "zod";
import { booleansOf } from "../../../platform/kernel/contract/fields.ts";
import { MILLISECONDS_MIN } from "../../../platform/kernel/contract/ids.ts";
import type { Contracts, Operation } from "../../../platform/kernel/contract/operation.ts";
import { printedInput } from "../../../platform/kernel/contract/printed-default.ts";
import type { Limit } from "../shapes.ts";

type Schema = z.core.JSONSchema.BaseSchema;

/** What a schema can say of a field: its keyword, our name for it, and what it means. */
const BOUNDS = [
  ["x-max-bytes", "max_bytes", "Most bytes of", "bytes of UTF-8"],
  ["minLength", "min_length", "Fewest characters of", "characters"],
  ["maxLength", "max_length", "Most characters of", "characters"],
  ["minimum", "min", "Smallest", "number"],
  ["maximum", "max", "Largest", "number"],
  ["default", "default", "When it is not sent:", "number"],
  ["maxItems", "max_items", "Most items of", "items"],
  ["pattern", "form", "Form of", "regular expression"],
] as const;

type BoundOperation = Omit<Limit, "applies_to">;

/** Of more routes than these a limit names the first three; OpenAPI has the fields of each. */
const NAMED_MAX = 8;
const NAMED_FIRST = 3;

/**
 * The bounds of every field that a request can hold, derived from the schemas that check them, and the
 * largest body of each route that takes more than others. Equal bounds of fields with one name are
 * one limit, whose id is that of the first.
 */
export function fieldLimits(contracts: Contracts): Limit[] {
  const found = new Map<string, { readonly bound: BoundOperation; readonly routes: string[] }>();
  for (const [domain, contract] of Object.entries(contracts))
    for (const [key, operation] of Object.entries(contract))
      for (const bound of boundsOf(operation)) {
        const same = `${bound.what} ${bound.value}`;
        const known = found.get(same) ?? {
          bound: { ...bound, id: `${domain}.${key}.${bound.id}` },
          routes: [],
        };
        known.routes.push(`${operation.method} ${operation.path}`);
        found.set(same, known);
      }
  return [...found.values()].map(({ bound, routes }) => ({
    ...bound,
    applies_to:
      routes.length > NAMED_MAX
        ? `${routes.slice(0, NAMED_FIRST).join(", ")}, and ${routes.length - NAMED_FIRST} more routes`
        : routes.join(", "),
  }));
}

function* boundsOf(operation: Operation): Generator<BoundOperation> {
  const { input, bodyMax_bytes } = operation;
  if (bodyMax_bytes !== undefined)
    yield { id: "body_bytes", what: "Most bytes of a body", value: bodyMax_bytes, unit: "bytes" };
  const { properties = {} } = printedInput(input);
  const switches = booleansOf(operation); // Yes or no: there is nothing between.
  for (const [name, schema] of Object.entries(properties))
    if (typeof schema === "object" && !switches.includes(name)) yield* boundsIn(name, schema);
}

function* boundsIn(name: string, schema: Schema): Generator<BoundOperation> {
  const said: Schema = { ...schema, ...schema.anyOf?.find(isNumeric) };
  for (const [keyword, id, what, unit] of BOUNDS) {
    const value = said[keyword];
    if (!isBound(value) || isTrivial(keyword, said)) continue;
    yield { id: `${name}.${id}`, what: `${what} ${name}`, value, unit };
    if (keyword === "x-max-bytes") return;
  }
  const { items } = said;
  if (typeof items === "object" && !Array.isArray(items)) yield* boundsIn(`${name}[]`, items);
}

/** Not to be empty, to be counted from 1, and not to be negative where nothing bounds it above. */
const isTrivial = (keyword: string, { minLength, minimum, maximum, type }: Schema): boolean =>
  (keyword === "minLength" && minLength === 1) ||
  (keyword === "minimum" && ((minimum === 1 && type === "integer") || !isBound(maximum)));

const isNumeric = ({ type }: Schema): boolean => type === "integer" || type === "number";

/** The ends of the safe integers, the last second that is no millisecond, and 0 are no bounds that anybody has set. */
const isBound = (value: unknown): value is number | string =>
  typeof value === "string"
    ? value.startsWith("^")
    : typeof value === "number" &&
      value !== 0 &&
      value !== MILLISECONDS_MIN - 1 &&
      Math.abs(value) < Number.MAX_SAFE_INTEGER;
