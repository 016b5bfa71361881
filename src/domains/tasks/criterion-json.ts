import type { Json } from "../../platform/kernel/canonical.ts";
import { lengthOf as textLengthOf } from "../../platform/kernel/text-length.ts";
import type { JSON_TYPES, PartOf, PointerTest } from "./criterion.ts";
import { isJson, type Why } from "./rules.ts";

/** Any JSON value but a string is its own document; a string holds one or none. */
export function documentOf(payload: Json): Json | undefined {
  if (typeof payload !== "string") return payload;
  try {
    const document: unknown = JSON.parse(payload);
    return isJson(document) ? document : undefined;
  } catch {
    return undefined;
  }
}

/** Whether every test of a part holds of the document. */
export type Pointers = (part: PartOf<"json_pointer">) => Why;

/** A document to test: what is long in it is counted once, however many tests ask. */
export function pointersOf(document: Json): Pointers {
  const sizes = new Map<Json, number>();

  function sizeOf(value: Json): number {
    const known = sizes.get(value) ?? lengthOf(value);
    sizes.set(value, known);
    return known;
  }

  const isSame = (found: Json, value: unknown): boolean => isEqual(found, value, sizeOf);

  return ({ tests }) =>
    tests.every((test) => holds(test, valueAt(document, test.path), { sizeOf, isSame }))
      ? "ok"
      : "test_failed";
}

interface Reader {
  readonly sizeOf: (value: Json) => number;
  readonly isSame: (found: Json, value: unknown) => boolean;
}

function holds(test: PointerTest, found: Json | undefined, { sizeOf, isSame }: Reader): boolean {
  if (found === undefined) return false;
  switch (test.op) {
    case "exists":
      return true;
    case "eq":
      return isSame(found, test.value);
    case "ne":
      return !isSame(found, test.value);
    case "in":
      return test.value.some((value) => isSame(found, value));
    case "gt":
      return typeof found === "number" && found > test.value;
    case "gte":
      return typeof found === "number" && found >= test.value;
    case "lt":
      return typeof found === "number" && found < test.value;
    case "lte":
      return typeof found === "number" && found <= test.value;
    case "len":
      return hasLength(found) && sizeOf(found) === test.value;
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

const hasLength = (value: Json): boolean =>
  typeof value === "string" || (typeof value === "object" && value !== null);

/** Of a string in code points, of an array in elements, of an object in members; of all else 0. */
function lengthOf(value: Json): number {
  if (typeof value === "string") return textLengthOf(value);
  if (typeof value !== "object" || value === null) return 0;
  return isList(value) ? value.length : Object.keys(value).length;
}

/**
 * Numbers by value, lists in order, objects whatever the order of their own members. A value of the
 * document is counted by `sizeOf`, so a comparison costs no more than the other one's size.
 */
export function isEqual(
  found: Json,
  value: unknown,
  sizeOf: (value: Json) => number = lengthOf,
): boolean {
  if (typeof found !== "object" || typeof value !== "object" || found === null || value === null)
    return found === value;
  if (isList(found) !== Array.isArray(value)) return false;
  const members = Object.entries(value);
  return (
    members.length === sizeOf(found) &&
    members.every(
      ([name, member]) =>
        Object.hasOwn(found, name) && isEqual(Reflect.get(found, name), member, sizeOf),
    )
  );
}

/** A number as JSON writes it: so many units of a power of ten. */
interface Decimal {
  readonly units: bigint;
  readonly exponent: number;
}

/** The shortest decimal that means the number, which is the one that was written. */
function decimalOf(value: number): Decimal {
  const [digits = "", exponent] = value.toExponential().split("e");
  const [whole = "", fraction = ""] = digits.split(".");
  return { units: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

/** Whether a number is a whole multiple of a step, as decimals: 19.99 is one of 0.01. */
export function isMultiple(value: number, step: number): boolean {
  const a = decimalOf(value);
  const b = decimalOf(step);
  const least = Math.min(a.exponent, b.exponent);
  const unitsOf = ({ units, exponent }: Decimal) => units * 10n ** BigInt(exponent - least);
  return unitsOf(a) % unitsOf(b) === 0n;
}
