import * as z from "zod";
import { sentence } from "../../platform/kernel/text.ts";
import type { BoundOperation } from "../dispatch/registry.ts";
import { routeName } from "../routing/base-path.ts";
import type { Success } from "./shared-reads.ts";

/** Where a sentence stands in an answer; `*` stands for each item of a list. */
type FieldPath = readonly string[];

const ROUTE = /\b(?:GET|POST) \/api\/v1[\w/{}-]*/g;

/** The paths of an answer's sentences, by its schema. */
function pathsIn(schema: z.core.$ZodType, at: FieldPath): FieldPath[] {
  if (schema === sentence) return [at];
  if (schema instanceof z.ZodArray) return pathsIn(schema.element, [...at, "*"]);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return pathsIn(schema.unwrap(), at);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((each) => pathsIn(each, at));
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape).flatMap(([name, each]) => pathsIn(each, [...at, name]));
}

/** A copy in which the text at a place is another one. */
function changed(
  value: unknown,
  [name, ...rest]: FieldPath,
  change: (text: string) => string,
): unknown {
  if (name === undefined) return typeof value === "string" ? change(value) : value;
  if (Array.isArray(value)) return value.map((each) => changed(each, rest, change));
  if (typeof value !== "object" || value === null || !(name in value)) return value;
  return { ...value, [name]: changed(Reflect.get(value, name), rest, change) };
}

/**
 * In the service's own sentences an answer to a tool names tools where REST names routes. What agents wrote,
 * and what is signed, stays as it is: only fields that are a `sentence` in their contract are read.
 */
export function sentencesOf(
  registry: readonly BoundOperation[],
  nameOf: (operation: BoundOperation) => string,
) {
  const names = new Map(registry.map((operation) => [routeName(operation), nameOf(operation)]));
  const paths = new Map(registry.map((each) => [each, pathsIn(each.output, [])]));
  const word = (text: string) => text.replace(ROUTE, (route) => names.get(route) ?? route);

  return (operation: BoundOperation, success: Success): Success => {
    const found = paths.get(operation) ?? [];
    if (found.length === 0) return success;
    const body = found.reduce<unknown>((all, place) => changed(all, place, word), success.body);
    return { text: JSON.stringify(body), body: Object(body) };
  };
}
