import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import { RE2JS } from "re2js";
import { canonicalJson, type Json } from "../../platform/kernel/canonical.ts";
import type { PartOf } from "./criterion.ts";
import { isEqual, isMultiple } from "./criterion-json.ts";
import { checkText, type TextPart, type Tools } from "./criterion-text.ts";
import type { Why } from "./rules.ts";

/** Parts that could run long or take much: a server runs them where it can end them. */
export type HeavyPart = EnginePart | TextPart;

/** Those among them that are worth keeping compiled. */
export type EnginePart = PartOf<"regex" | "json_schema">;

/** A document that a schema refuses, and where: `/skills/0/name: pattern`. */
export interface Misfit {
  readonly why: "not_valid";
  readonly at: string;
}

/** A criterion's part, ready to check any number of payloads: a text, or a JSON document. */
export type Compiled = (payload: Json) => Why | Misfit;

const PROGRAM_SIZE_MAX = 2_000;
const REGEX_PAYLOAD_MAX_BYTES = 16 * 1024;
const FLAGS = { i: RE2JS.CASE_INSENSITIVE, m: RE2JS.MULTILINE, s: RE2JS.DOTALL };

/** Throws when the pattern is no RE2 or too large; time is linear in the text for all others. */
function compilePattern(pattern: string, flags = 0): RE2JS {
  const program = RE2JS.compile(pattern, flags);
  if (program.programSize() > PROGRAM_SIZE_MAX) throw new RangeError("The pattern is too large.");
  return program;
}

const encoder = new TextEncoder();

function compileRegex({ pattern, flags = "" }: PartOf<"regex">): Compiled {
  const bits = [...flags].map((flag) => (flag === "i" || flag === "m" ? FLAGS[flag] : FLAGS.s));
  const program = compilePattern(
    pattern,
    bits.reduce((sum, bit) => sum | bit, 0),
  );
  return (payload) => {
    if (typeof payload !== "string") return "payload_not_text";
    if (encoder.encode(payload).length > REGEX_PAYLOAD_MAX_BYTES) return "payload_too_long";
    return program.testExact(payload) ? "ok" : "no_match";
  };
}

/**
 * The engine for patterns inside a schema. ajv distinguishes patterns by their text: without a
 * `toString` of its own all of them would share the first one's program, and validate wrongly.
 */
const patternEngine = Object.assign(
  (pattern: string) => {
    const program = compilePattern(pattern);
    return { test: (text: string) => program.test(text), toString: () => pattern };
  },
  { code: "compilePattern" },
);

function compileSchema({ schema }: PartOf<"json_schema">): Compiled {
  // One validator each: what ajv remembers of one schema must not reach another.
  const ajv = new Ajv2020({
    strict: false,
    ownProperties: true, // Else every document has a toString.
    allErrors: false,
    validateFormats: false,
    addUsedSchema: false,
    logger: false,
    code: { regExp: patternEngine },
  });
  for (const { keyword, ...validation } of KEYWORDS)
    ajv.removeKeyword(keyword).addKeyword({ keyword, errors: false, ...validation });
  const isValid = ajv.compile(schema);
  return (document) => (isValid(document) ? "ok" : misfitOf(isValid.errors?.[0]));
}

/**
 * Keywords that ajv gets wrong: its comparison of values calls their own `toString`, and its division of
 * fractions rounds.
 */
const KEYWORDS = [
  { keyword: "const", validate: (value: Json, data: Json) => isEqual(data, value) },
  {
    keyword: "enum",
    schemaType: "array",
    validate: (values: readonly Json[], data: Json) => values.some((value) => isEqual(data, value)),
  },
  {
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    validate: (isAsked: boolean, data: readonly Json[]) =>
      !isAsked || new Set(data.map((item) => canonicalJson(item))).size === data.length,
  },
  {
    keyword: "multipleOf",
    type: "number",
    schemaType: "number",
    validate: (step: number, data: number) => isMultiple(data, step),
  },
] as const;

const AT_LENGTH_MAX = 200;

/** The place in the document, which its sender knows, and the keyword of the schema, which is public. */
function misfitOf(error: ErrorObject | undefined): Misfit {
  const { instancePath = "", keyword = "false schema", params = {} } = error ?? {};
  const missing: unknown = Object(params).missingProperty;
  const said = keyword === "required" ? `required ${missing}` : keyword;
  return { why: "not_valid", at: `${instancePath || "/"}: ${said}`.slice(0, AT_LENGTH_MAX) };
}

/** Throws when the part cannot be compiled. */
export const compile = (part: EnginePart): Compiled =>
  part.kind === "regex" ? compileRegex(part) : compileSchema(part);

/** How a part is checked; `compiled` compiles, or has done so before. Throws as that does. */
export function checkerOf(
  part: HeavyPart,
  tools: Tools,
  compiled: (part: EnginePart) => Compiled = compile,
): Compiled {
  if (part.kind === "regex" || part.kind === "json_schema") return compiled(part);
  return (payload) =>
    typeof payload === "string" ? checkText(part, payload, tools) : "payload_not_text";
}
