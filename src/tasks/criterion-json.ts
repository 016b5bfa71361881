import type { Json } from "../kernel/canonical.ts";
import type { JSON_TYPES, PartOf, PointerTest } from "./criterion.ts";
import type { Why } from "./rules.ts";

/** Whether every test of the document holds. */
export const checkPointers = ({ tests }: PartOf<"json_pointer">, document: Json): Why =>
  tests.every((test) => holds(test, valueAt(document, test.path))) ? "ok" : "test_failed";

function holds(test: PointerTest, found: Json | undefined): boolean {
  if (found === undefined) return false;
  switch (test.op) {
    case "exists":
      return true;
    case "eq":
      return isEqual(found, test.value);
    case "ne":
      return !isEqual(found, test.value);
    case "in":
      return test.value.some((value) => isEqual(found, value));
    case "gt":
      return typeof found === "number" && found > test.value;
    case "gte":
      return typeof found === "number" && found >= test.value;
    case "lt":
      return typeof found === "number" && found < test.value;
    case "lte":
      return typeof found === "number" && found <= test.value;
    case "len":
      return lengthOf(found) === test.value;
    case "type":
      return typeOf(found) === test.value;
  }
}

/** RFC 6901: `~1` stands for a slash and `~0` for a tilde; `-` names no element that there is. */
function valueAt(document: Json, path: string): Json | undefined {
  let value: Json | undefined = document;
  for (const step of path.split("/").slice(1)) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof value !== "object" || value === null) return undefined;
    const isMember: boolean = !isList(value) || /^(?:0|[1-9][0-9]*)$/.test(name);
    value = isMember && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
  }
  return value;
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

function typeOf(value: Json): (typeof JSON_TYPES)[number] {
  if (value === null) return "null";
  if (isList(value)) return "array";
  switch (typeof value) {
    case "boolean":
      return "boolean";
    case "number":
      return "number";
    case "string":
      return "string";
    default:
      return "object";
  }
}

/** Of a string in code points, of an array in elements, of an object in members. */
function lengthOf(value: Json): number | undefined {
  if (typeof value === "string") return [...value].length;
  return typeof value === "object" && value !== null ? Object.keys(value).length : undefined;
}

/** Numbers by value, lists in order, objects whatever the order of their members. */
function isEqual(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const members = Object.entries(a);
  if (members.length !== Object.keys(b).length) return false;
  return members.every(
    ([name, member]) => Object.hasOwn(b, name) && isEqual(member, Reflect.get(b, name)),
  );
}
