import type { Schema } from "./openapi-document.ts";

/** What a value of one of the schema's types must be like, for each of its types. */
function waysOf({ anyOf, oneOf, ...schema }: Schema): readonly Schema[] {
  const ways = anyOf ?? oneOf;
  if (ways !== undefined) return ways.flatMap(waysOf);
  const { type } = schema;
  if (typeof type === "object" && TYPES.every((each) => type.includes(each))) return [{}];
  return typeof type === "object" ? type.map((one) => ({ ...schema, type: one })) : [schema];
}

const ANY = "any value";
/** All of them are any value. */
const TYPES = ["array", "boolean", "null", "number", "object", "string"];
const typeOf = ({ type = ANY }: Schema): string => String(type);
const typesOf = (schema: Schema): string =>
  [...new Set(waysOf(schema).map(typeOf))].sort().join(" or ");

type Compare = (was: Schema, is: Schema, place: string) => Iterable<string>;

/** The differences from the candidate that differs least; none where there is no candidate. */
function leastOf(candidates: readonly Schema[], differences: (one: Schema) => Iterable<string>) {
  let least: readonly string[] | undefined;
  for (const one of candidates) {
    const most: number = least?.length ?? Infinity;
    const found = [...Iterator.from(differences(one)).take(most)];
    if (found.length < most) least = found;
    if (found.length === 0) break;
  }
  return least ?? [];
}

/** What a released schema of an input takes and the current one refuses, or takes in another way. */
export function* narrowed(was: Schema, is: Schema, place: string): Generator<string> {
  for (const way of waysOf(was)) {
    const type = typeOf(way);
    const taking = waysOf(is).filter((one) => [type, ANY].includes(typeOf(one)));
    if (taking.length === 0) yield `${place} takes ${typesOf(is)}, and took ${type}`;
    yield* leastOf(taking, (one) => narrowedWay(way, one, place));
  }
  const [before, now] = [was.default, is.default].map(
    (value) => JSON.stringify(value) ?? "nothing",
  );
  if (now !== before) yield `${place} is ${now} by default, and was ${before}`;
}

const MOST = ["maximum", "maxLength", "maxItems", "x-max-bytes"] as const;
const LEAST = ["minimum", "exclusiveMinimum", "minLength", "minItems"] as const;

function* narrowedWay(was: Schema, is: Schema, place: string): Generator<string> {
  for (const bound of MOST)
    if ((is[bound] ?? Infinity) < (was[bound] ?? Infinity))
      yield `${place} has the ${bound} ${is[bound]}, and had ${was[bound] ?? "none"}`;
  for (const bound of LEAST)
    if ((is[bound] ?? -Infinity) > (was[bound] ?? -Infinity))
      yield `${place} has the ${bound} ${is[bound]}, and had ${was[bound] ?? "none"}`;
  if (is.pattern !== undefined && is.pattern !== was.pattern)
    yield `${place} has the pattern ${is.pattern}, and had ${was.pattern ?? "none"}`;
  const taken = valuesOf(is);
  if (taken !== null)
    for (const value of valuesOf(was) ?? ["all others"])
      if (!taken.includes(value)) yield `${place} takes ${value} no more`;
  for (const name of is.required ?? [])
    if (was.required?.includes(name) !== true) yield `${place}.${name} is required now`;
  yield* members(was, is, { place, compare: narrowed });
}

const valuesOf = (schema: Schema): readonly unknown[] | null =>
  schema.enum ?? (schema.const === undefined ? null : [schema.const]);

/**
 * What readers of a released answer miss in the current one, or do not expect there. They expect
 * new fields, and new values where there are several.
 */
export function* reshaped(was: Schema, is: Schema, place: string): Generator<string> {
  if (typesOf(was) !== typesOf(is)) {
    yield `${place} is ${typesOf(is)}, and was ${typesOf(was)}`;
    return;
  }
  const like = (one: Schema) => (other: Schema) => typeOf(other) === typeOf(one);
  const found = [
    ...waysOf(was).flatMap((way) =>
      leastOf(waysOf(is).filter(like(way)), (one) => reshapedWay(way, one, place)),
    ),
    ...waysOf(is)
      .filter((way) => !isNewSort(waysOf(was), way))
      .flatMap((way) =>
        leastOf(waysOf(was).filter(like(way)), (one) => reshapedWay(one, way, place)),
      ),
  ];
  yield* new Set(found);
}

/** Whether a way is told from all released ones by a member that told these from each other: `kind`. */
function isNewSort(released: readonly Schema[], { properties = {} }: Schema): boolean {
  return Object.entries(properties).some(([name, { const: sort }]) => {
    const sorts = new Set(released.map((way) => way.properties?.[name]?.const));
    return sort !== undefined && sorts.size > 1 && !sorts.has(undefined) && !sorts.has(sort);
  });
}

function* reshapedWay(was: Schema, is: Schema, place: string): Generator<string> {
  if (was.const !== is.const && was.const !== undefined)
    yield `${place} is not always ${was.const} any more`;
  for (const name of was.required ?? [])
    if (is.properties?.[name] !== undefined && is.required?.includes(name) !== true)
      yield `${place}.${name} is not always there any more`;
  yield* members(was, is, { place, compare: reshaped });
}

/** Compares what objects and lists hold. */
function* members(
  was: Schema,
  is: Schema,
  { place, compare }: { readonly place: string; readonly compare: Compare },
): Generator<string> {
  for (const [name, field] of Object.entries(was.properties ?? {})) {
    const now = is.properties?.[name];
    if (now === undefined) yield `${place}.${name} is gone`;
    else yield* compare(field, now, `${place}.${name}`);
  }
  if (was.items && is.items) yield* compare(was.items, is.items, `${place}[]`);
  if (was.additionalProperties && is.additionalProperties)
    yield* compare(was.additionalProperties, is.additionalProperties, `${place}.*`);
}
