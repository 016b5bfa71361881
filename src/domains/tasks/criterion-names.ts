import { canonicalJson, type Json } from "../../platform/kernel/canonical.ts";
import { type Criterion, type Part, type PartOf, type PointerTest, partsOf } from "./criterion.ts";
import { documentOf } from "./criterion-json.ts";

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

/** Whether it has a placeholder for the submitter. */
export const isBound = (criterion: Criterion): boolean => partsOf(criterion).some(namesAgent);

function namesAgent(part: Part): boolean {
  const bound = withNames(part, { agent_id: "", task_id: "{task_id}" });
  return JSON.stringify(bound) !== JSON.stringify(part);
}

/** Parts that all right answers fit by the same text, but for white space, encoding and who is named. */
const ONE: ReadonlySet<Part["kind"]> = new Set(["exact", "sha256"]);

/** What no answer of another helps with: its own work, its own key, or no more than the criterion says itself. */
const isOwn = (part: Part): boolean =>
  (part.kind === "hash_pow" || part.kind === "ed25519" || part.kind === "exact") &&
  namesAgent(part);

/** What it demands of a document, without what it only excludes. */
const demandsOf = (part: PartOf<"json_pointer">): Part => ({
  ...part,
  tests: part.tests.filter(({ op }) => op !== "ne"),
});

const isOwnPointer = (part: Part): boolean =>
  part.kind === "json_pointer" && namesAgent(demandsOf(part));

/**
 * What a right answer says, however it is spelled and by any sender: an agent that has seen it could give it, too.
 * Null where another's answer is worth nothing. A suffix `{agent_id}`, or a member of that value, does not
 * bind what stands beside it, because anybody can put its own id there.
 */
export function meaningOf(criterion: Criterion, { payload, agent_id }: Given): string | null {
  const parts = partsOf(criterion);
  const isPublic = parts.every(({ kind }) => kind === "json_pointer") && parts.some(isOwnPointer);
  if (isPublic || parts.some(isOwn)) return null;
  if (parts.some(({ kind }) => ONE.has(kind))) return "";
  const isJson = parts.some(({ kind }) => kind === "json_schema" || kind === "json_pointer");
  const said = isJson ? canonicalJson(documentOf(payload) ?? null) : String(payload);
  const isWork = parts.some(({ kind }) => kind === "hash_pow");
  return isWork ? said : said.trim().replaceAll(agent_id, "{agent_id}");
}

interface Given {
  readonly payload: Json;
  readonly agent_id: string;
}
