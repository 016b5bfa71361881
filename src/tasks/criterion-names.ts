import { type Criterion, type Part, type PointerTest, partsOf } from "./criterion.ts";

/** What `{agent_id}` and `{task_id}` stand for: the submitter, and the task submitted to. */
export interface Names {
  readonly agent_id: string;
  readonly task_id: number | string;
}

const fill = (text: string, names: Names): string =>
  text.replace(/\{(?:agent_id|task_id)\}/g, (name) =>
    String(name === "{agent_id}" ? names.agent_id : names.task_id),
  );

type JsonValue = Extract<PointerTest, { op: "eq" | "ne" }>["value"];

function fillDeep(value: JsonValue, names: Names): JsonValue {
  if (typeof value === "string") return fill(value, names);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => fillDeep(item, names));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, fillDeep(member, names)]),
  );
}

function fillTest(test: PointerTest, names: Names): PointerTest {
  if (test.op === "eq" || test.op === "ne") return { ...test, value: fillDeep(test.value, names) };
  if (test.op === "in") return { ...test, value: test.value.map((item) => fillDeep(item, names)) };
  return test;
}

/** The part with its placeholders replaced, in the fields that may have some. */
export function withNames(part: Part, names: Names): Part {
  switch (part.kind) {
    case "exact":
      return { ...part, value: fill(part.value, names) };
    case "sha256":
      return part.suffix === undefined ? part : { ...part, suffix: fill(part.suffix, names) };
    case "hash_pow":
      return { ...part, prefix: fill(part.prefix, names) };
    case "json_pointer":
      return { ...part, tests: part.tests.map((test) => fillTest(test, names)) };
    case "ed25519":
      return { ...part, message: fill(part.message, names) };
    case "regex":
    case "json_schema":
      return part;
  }
}

/** Whether it asks each submitter for something else, so that no answer can be copied. */
export const isBound = (criterion: Criterion): boolean =>
  partsOf(criterion).some((part) => {
    const bound = withNames(part, { agent_id: "", task_id: "{task_id}" });
    return JSON.stringify(bound) !== JSON.stringify(part);
  });
