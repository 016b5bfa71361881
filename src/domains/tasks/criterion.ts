import * as z from "zod";
import { HEX_32_BYTES } from "../../platform/kernel/proof/signature.ts";
import { opaque, text } from "../../platform/kernel/text.ts";

/**
 * The language in which a task says what passes: public data, no code, no address
 * (http-and-security.md, section 13). Every object is strict, because a field that nothing reads
 * would be a condition that nothing checks.
 */
const EXACT_MAX_BYTES = 16 * 1024;
const AFFIX_LENGTH_MAX = 200;
const BITS_MAX = 40;
const PATTERN_MAX_BYTES = 1_024;
const MESSAGE_MAX_BYTES = 1_024;
const SCHEMA_MAX_BYTES = 8 * 1024;
const SCHEMA_DEPTH_MAX = 16;
const POINTER_LENGTH_MAX = 1_024;
const TESTS_MAX = 32;
const PARTS_MAX = 8;
const CRITERION_MAX_BYTES = 64 * 1024;

export const JSON_TYPES = ["null", "boolean", "number", "string", "array", "object"] as const;

const exact = z.strictObject({
  kind: z.literal("exact"),
  value: opaque(EXACT_MAX_BYTES),
  trim: z.boolean().optional(),
});

const sha256 = z.strictObject({
  kind: z.literal("sha256"),
  digest: z.string().regex(HEX_32_BYTES, "must be 64 lower-case hex characters"),
  suffix: text(1, AFFIX_LENGTH_MAX).optional(),
  encoding: z.enum(["utf8", "hex", "base64"]).optional(),
  trim: z.boolean().optional(),
});

const hashPow = z.strictObject({
  kind: z.literal("hash_pow"),
  prefix: text(0, AFFIX_LENGTH_MAX),
  bits: z.int().min(1).max(BITS_MAX),
});

const regex = z.strictObject({
  kind: z.literal("regex"),
  pattern: opaque(PATTERN_MAX_BYTES),
  flags: z
    .string()
    .regex(/^(?!.*(.).*\1)[ims]*$/, "must be some of i, m and s, each once")
    .optional(),
});

const jsonSchema = z.strictObject({
  kind: z.literal("json_schema"),
  schema: z.record(z.string(), z.unknown()).superRefine((schema, issues) => {
    const fault = schemaFaultOf(schema);
    if (fault !== null) issues.addIssue({ code: "custom", message: fault });
  }),
});

const path = z
  .string()
  .max(POINTER_LENGTH_MAX)
  .regex(/^(?:\/(?:[^~/]|~[01])*)*$/, "must be a JSON pointer (RFC 6901)");

const pointerTest = z.discriminatedUnion("op", [
  z.strictObject({ path, op: z.literal("exists") }),
  z.strictObject({ path, op: z.enum(["eq", "ne"]), value: z.json() }),
  z.strictObject({ path, op: z.literal("in"), value: z.array(z.json()).min(1) }),
  z.strictObject({ path, op: z.enum(["gt", "gte", "lt", "lte"]), value: z.number() }),
  z.strictObject({ path, op: z.literal("len"), value: z.int().min(0) }),
  z.strictObject({ path, op: z.literal("type"), value: z.enum(JSON_TYPES) }),
]);

const jsonPointer = z.strictObject({
  kind: z.literal("json_pointer"),
  tests: z.array(pointerTest).min(1).max(TESTS_MAX),
});

const message = opaque(MESSAGE_MAX_BYTES);

const ed25519 = z
  .strictObject({
    kind: z.literal("ed25519"),
    message,
    public_key: z.string().regex(HEX_32_BYTES, "must be 64 lower-case hex characters").optional(),
    key: z
      .literal("profile")
      .optional()
      .describe("Any key that the submitter publishes as a capability sig:ed25519:…"),
  })
  .refine(({ public_key, key }) => (public_key === undefined) !== (key === undefined), {
    path: ["public_key"],
    message: "send public_key or key, one of them",
  });

const part = z.discriminatedUnion("kind", [
  exact,
  sha256,
  hashPow,
  regex,
  jsonSchema,
  jsonPointer,
  ed25519,
]);

const all = z.strictObject({
  kind: z.literal("all"),
  of: z.array(part).min(1).max(PARTS_MAX).describe("Each passes; no nesting."),
});

export const criterion = z
  .discriminatedUnion("kind", [...part.options, all])
  .refine((sent) => bytesOf(sent) <= CRITERION_MAX_BYTES, {
    message: `must have at most ${CRITERION_MAX_BYTES} bytes as JSON`,
  });

export type Criterion = z.output<typeof criterion>;
export type Part = z.output<typeof part>;
export type PointerTest = z.output<typeof pointerTest>;
export type PartOf<K extends Part["kind"]> = Extract<Part, { kind: K }>;

const encoder = new TextEncoder();
const bytesOf = (value: unknown): number => encoder.encode(JSON.stringify(value)).length;

/** Names that reach out of a schema, or make its validator something other than a function to a boolean. */
const REFUSED_NAMES: ReadonlySet<string> = new Set([
  "$id",
  "$anchor",
  "$dynamicRef",
  "$dynamicAnchor",
  "$recursiveRef",
  "$recursiveAnchor",
  "$async",
  "$data",
]);

function schemaFaultOf(schema: object): string | null {
  if (bytesOf(schema) > SCHEMA_MAX_BYTES) return `must have at most ${SCHEMA_MAX_BYTES} bytes`;
  return memberFaultOf(schema, SCHEMA_DEPTH_MAX);
}

function memberFaultOf(value: unknown, levels: number): string | null {
  if (typeof value !== "object" || value === null) return null;
  if (levels === 0) return `must have at most ${SCHEMA_DEPTH_MAX} levels`;
  for (const [name, member] of Object.entries(value)) {
    if (REFUSED_NAMES.has(name)) return "must not use $id, $anchor, $dynamicRef or $async";
    if (name === "$ref" && !(typeof member === "string" && member.startsWith("#")))
      return "must refer only to itself: $ref begins with #";
    const fault = memberFaultOf(member, levels - 1);
    if (fault !== null) return fault;
  }
  return null;
}

const PROTOTYPE = "__proto__";

/**
 * Whether a criterion names what no document has as its own, by a member or a reference: its engines read
 * that as nothing, so it would be a condition that nothing checks. Asked when a task is published.
 */
export function namesPrototype(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(
    ([name, member]) =>
      name === PROTOTYPE ||
      (name === "$ref" && refersTo(PROTOTYPE, member)) ||
      namesPrototype(member),
  );
}

/** Whether a reference has this step, percent escapes read. */
const refersTo = (step: string, reference: unknown): boolean =>
  typeof reference === "string" && reference.replace(/%5f/gi, "_").split("/").includes(step);

/** The parts that must all pass; a criterion that is not `all` is its own only part. */
export const partsOf = (whole: Criterion): readonly Part[] =>
  whole.kind === "all" ? whole.of : [whole];
