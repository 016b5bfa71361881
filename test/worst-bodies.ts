import * as z from "zod";
import type { BoundOperation } from "../src/surfaces/dispatch/registry.ts";
import { BODY_MAX_BYTES, MEMBERS_MAX, VALUES_MAX } from "../src/surfaces/wire/body.ts";
import type { Schema } from "./openapi-document.ts";

/** The worst that a body can hold of each kind, within the bounds of its route. */
export type WorstBodies = Readonly<Record<string, string>>;

/** Whatever makes the service look at a text longest for its length. */
const TEXTS: Readonly<Record<string, string>> = {
  marks: "\u0344\u0f73",
  "long forms": "\ufdfa",
  words: "a b ",
  mentions: "@ab ",
  tokens: `sk_${"a".repeat(48)} `,
  scripts: "<script>",
  cjk: "\u732b",
};

const VALUES = VALUES_MAX - 1_000;
const SHORTEST = 16;

const repeated = (text: string, units: number): string =>
  text.repeat(Math.max(1, Math.floor(units / text.length)));

/** A JSON text that holds one value in a field of its own, again and again. */
const listOf = (one: string, count: number): string =>
  `[${Array(Math.max(1, Math.floor(count)))
    .fill(one)
    .join(",")}]`;

/** Names of letters only, each a little like a field. */
function* namesNear(fields: readonly string[]): Generator<string> {
  const letters = "abcdefghijklmnopqrstuvwxyz";
  for (let i = 0; ; i++) {
    const tail = [...i.toString(26)].map((digit) => letters[Number.parseInt(digit, 26)]).join("");
    yield `${fields[i % fields.length] ?? "body"}_${tail}`.slice(0, 32);
  }
}

function manyNames(fields: readonly string[], max_bytes: number): string {
  const members: string[] = [];
  let bytes = 2;
  for (const name of namesNear(fields)) {
    const member = `"${name}":0`;
    bytes += member.length + 1;
    if (bytes > max_bytes || members.length === MEMBERS_MAX - 100) return `{${members.join(",")}}`;
    members.push(member);
  }
  return "{}";
}

/** The texts of an operation's fields, as long as each may be, in place of those of its example. */
function filled(example: object, schema: Schema, text: string, max_bytes: number): string {
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const max = field["x-max-bytes"] ?? field.maxLength;
    if (field.type !== "string" || max === undefined || max < SHORTEST) return [];
    const units = field["x-max-bytes"] === undefined ? max : max / Buffer.byteLength(text);
    return [[name, repeated(text, Math.min(units, max_bytes / 8))] as const];
  });
  return JSON.stringify({ ...example, ...Object.fromEntries(fields) });
}

export function worstBodiesOf(operation: BoundOperation): WorstBodies {
  const max_bytes = operation.bodyMax_bytes ?? BODY_MAX_BYTES;
  const printed = z.toJSONSchema(operation.input, { io: "input", unrepresentable: "any" });
  const schema: Schema = JSON.parse(JSON.stringify(printed));
  const names = Object.keys(schema.properties ?? {});
  const example = operation.example ?? {};
  const room = max_bytes - 1_024;
  const share = Math.max(1, Math.floor(VALUES / Math.max(1, names.length)));
  const inEach = (value: string) =>
    `{${(names.length === 0 ? ["x"] : names).map((name) => `"${name}":${value}`).join(",")}}`;
  const fitting = (one: string, count = share) =>
    Math.min(count, Math.floor(room / Math.max(1, names.length) / (one.length + 1)));
  const nest = `${"[".repeat(28)}${"]".repeat(28)}`;
  const key = "k".repeat(Math.floor(room / 8));
  return {
    "long keys": `{${Array.from({ length: 6 }, (_, i) => `"${i}${key}":0`).join(",")}}`,
    "many keys": manyNames(names, room),
    "many issues": inEach(listOf("{}", fitting("{}"))),
    deep: inEach(listOf(nest, fitting(nest, share / 28))),
    "too deep": "[".repeat(room),
    wide: inEach(listOf("0", fitting("0"))),
    "too wide": inEach(listOf("0", fitting("0", room))),
    ...Object.fromEntries(
      Object.entries(TEXTS).map(([kind, text]) => [
        kind,
        filled(example, schema, text, max_bytes).slice(0, max_bytes),
      ]),
    ),
  };
}
