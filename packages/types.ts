import * as z from "zod";
import { contracts } from "../src/domains/contracts.ts";
import { ENTRY_KINDS } from "../src/domains/entries.ts";
import { callNameOf, operationIdOf } from "../src/platform/kernel/contract/calls.ts";
import type { Shape as EntryFields } from "../src/platform/kernel/contract/entry-form.ts";
import { ERROR_CODES } from "../src/platform/kernel/contract/errors.ts";
import type { Operation } from "../src/platform/kernel/contract/operation.ts";

/** The part of src/client/wire.ts that no contract tells. */
const PREAMBLE = `// Made from the contracts by packages/types.ts of Cairn.

/** One fault of the input, or one value that an error carries (\`field\` names it). */
export interface Problem {
  readonly field: string;
  readonly problem: string;
}

/** What an error says for programs, beside its code: the way out of it. */
export interface Teaching {
  readonly accepts?: readonly string[];
  readonly allowed?: readonly string[];
  readonly did_you_mean?: readonly {
    readonly method: string;
    readonly path: string;
    readonly fields?: Readonly<Record<string, string | number>>;
  }[];
}

export interface CallOptions {
  /** Ends the call, and the pauses between its attempts. */
  readonly signal?: AbortSignal | undefined;
  /** Instead of the connection's. */
  readonly timeout_ms?: number | undefined;
}

/** A write whose answer was lost, and which was found to have happened: \`recovered\` says what it made. */
export interface Recovered {
  readonly ok: true;
  readonly recovered: Awaited<ReturnType<NetworkCalls["writes"]["find"]>>["writes"][number];
}

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

/** \`hints\`: what was ignored, or was probably meant in another way. */
interface Success {
  readonly ok: true;
  readonly hints?: readonly Problem[];
}

interface ShownEntry<Kind extends string, Body> {
  readonly id: number;
  readonly kind: Kind;
  readonly ref: string;
  /** Unix seconds. */
  readonly at: number;
  readonly body: Body;
  readonly text: Readonly<Record<string, string | string[]>>;
  readonly entry?: string | undefined;
  readonly leaf?: string | undefined;
}
`;

type Schema = z.core.$ZodType;
type Def = z.core.$ZodTypes["_zod"]["def"];

/** Objects that stand in several places have a name, so that each is written once. */
class Shapes {
  readonly #uses = new Map<Schema, number>();
  readonly #names = new Map<Schema, string>();
  readonly #texts: string[] = [];

  /** Has to see every schema before the first is written. */
  count(schema: Schema): void {
    const uses = this.#uses.get(schema) ?? 0;
    this.#uses.set(schema, uses + 1);
    if (uses === 0) for (const part of partsOf(schema)) this.count(part);
  }

  get texts(): readonly string[] {
    return this.#texts;
  }

  /** The type of what goes over the wire. */
  typeOf(schema: Schema): string {
    const def = schema._zod.def as Def;
    if (schema instanceof z.ZodExactOptional) return this.typeOf(schema.def.innerType);
    if (def.type !== "object" || (this.#uses.get(schema) ?? 0) < 2) return this.#plain(def);
    const known = this.#names.get(schema);
    if (known !== undefined) return known;
    const name = `Shape${this.#names.size + 1}`;
    this.#names.set(schema, name);
    this.#texts.push(`interface ${name} ${this.#plain(def)}\n`);
    return name;
  }

  #plain(def: Def): string {
    switch (def.type) {
      case "string":
      case "template_literal":
        return def.type === "string" && "coerce" in def && def.coerce ? "unknown" : "string";
      case "number":
        return "coerce" in def && def.coerce ? "unknown" : "number";
      case "boolean":
      case "null":
      case "undefined":
        return def.type;
      case "literal":
        return def.values.map((value) => JSON.stringify(value)).join(" | ");
      case "enum":
        return Object.values(def.entries)
          .map((value) => JSON.stringify(value))
          .join(" | ");
      case "array":
        return `(${this.typeOf(def.element)})[]`;
      case "object":
        return this.objectOf(def.shape, def.catchall);
      case "union":
        return [...new Set(def.options.map((option) => this.typeOf(option)))].join(" | ");
      case "record": {
        const record = `Record<${this.typeOf(def.keyType)}, ${this.typeOf(def.valueType)}>`;
        return "partial" in def && def.partial ? `Partial<${record}>` : record;
      }
      case "nullable":
        return `${this.typeOf(def.innerType)} | null`;
      case "optional":
        return `${this.typeOf(def.innerType)} | undefined`;
      case "default":
        return `${this.typeOf(def.innerType)} | undefined`;
      case "pipe":
        return this.typeOf(def.in);
      case "lazy":
        return "Json";
      case "unknown":
      case "transform":
        return "unknown";
      default:
        throw new Error(`A contract has ${def.type}, for which no type is written.`);
    }
  }

  objectOf(shape: Readonly<Record<string, Schema>>, catchall?: Schema): string {
    const fields = Object.entries(shape).map(([name, field]) => {
      const mark = mayLack(field) ? "?" : "";
      return `  ${JSON.stringify(name)}${mark}: ${this.typeOf(field)};\n`;
    });
    if (fields.length === 0) return "Record<string, never>";
    const others = catchall?._zod.def.type === "unknown" ? "  [name: string]: unknown;\n" : "";
    return `{\n${fields.join("")}${others}}`;
  }
}

/** The type of an entry's body. */
function bodyType(fields: EntryFields): string {
  const members = Object.entries(fields).map(([name, { type, words, isOptional }]) => {
    const of =
      words?.map((word) => JSON.stringify(word)).join(" | ") ??
      (type === "string" ? "string" : "number");
    const [mark, none] = isOptional ? ["?", " | undefined"] : ["", ""];
    return `  ${JSON.stringify(name)}${mark}: ${of}${none};\n`;
  });
  return `{\n${members.join("")}}`;
}

/** Whether a field may be left out of what is sent. */
const mayLack = (field: Schema): boolean => field._zod.optin !== undefined;

function partsOf(schema: Schema): readonly Schema[] {
  const def = schema._zod.def as Def;
  switch (def.type) {
    case "array":
      return [def.element];
    case "object":
      return Object.values(def.shape);
    case "union":
      return def.options;
    case "record":
      return [def.keyType, def.valueType];
    case "nullable":
    case "optional":
    case "default":
      return [def.innerType];
    case "pipe":
      return [def.in];
    default:
      return [];
  }
}

const operations = Object.entries(contracts).flatMap(([domain, contract]) =>
  Object.entries<Operation>({ ...contract }).map(([key, operation]) => {
    const id = operationIdOf({ ...operation, name: `${domain}.${key}` });
    const [noun, verb] = callNameOf(id);
    const type = id.replaceAll(/(?:^|_)(\w)/g, (_, first) => first.toUpperCase());
    return { ...operation, noun, verb, type };
  }),
);

/** The calls by their nouns, with what they resolve to beside their answer. */
function callsOf(name: string, found: string): string {
  const nouns = Map.groupBy(operations, ({ noun }) => noun);
  const members = [...nouns].map(([noun, own]) => {
    const calls = own.map(({ verb, type, summary, input }) => {
      const isOptional = Object.values(input.shape).every(mayLack);
      const found_ = found !== "" && "not_after" in input.shape ? ` | ${found}` : "";
      const given = `input${isOptional ? "?" : ""}: ${type}Input, options?: CallOptions`;
      return `    /** ${summary} */\n    readonly ${verb}: (${given}) => Promise<${type}Answer${found_}>;\n`;
    });
    return `  readonly ${noun}: {\n${calls.join("")}  };\n`;
  });
  return `export interface ${name} {\n${members.join("")}}\n`;
}

/** The declarations that take the place of src/client/wire.ts in the package: no zod, no contracts. */
export function wireTypes(): string {
  const shapes = new Shapes();
  for (const { input, output } of operations) {
    shapes.count(input);
    shapes.count(output);
  }
  const calls = operations.flatMap(({ type, input, output }) => [
    `export type ${type}Input = ${shapes.objectOf(input.shape)};\n`,
    `export interface ${type}Answer extends Success ${shapes.objectOf(output.shape, output._zod.def.catchall)}\n`,
  ]);
  const entries = ENTRY_KINDS.map(
    ({ kind, fields }) => `  | ShownEntry<"${kind}", ${bodyType(fields)}>`,
  );
  return [
    PREAMBLE,
    `export type ErrorCode = ${ERROR_CODES.map((code) => JSON.stringify(code)).join(" | ")};\n`,
    `export type LedgerEntry =\n${entries.join("\n")};\n`,
    ...shapes.texts,
    ...calls,
    callsOf("NetworkCalls", ""),
    callsOf("Retrying", "Recovered"),
  ].join("\n");
}
