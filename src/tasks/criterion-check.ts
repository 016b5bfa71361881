import type { Json } from "../kernel/canonical.ts";
import { type Criterion, type Part, type PartOf, partsOf } from "./criterion.ts";
import type { HeavyPart, Misfit } from "./criterion-engines.ts";
import { checkPointers } from "./criterion-json.ts";
import { type Names, withNames } from "./criterion-names.ts";
import {
  checkEd25519,
  checkExact,
  checkHashPow,
  checkSha256,
  type Tools,
} from "./criterion-text.ts";
import { isJson, type Why } from "./rules.ts";

/** The input of a check: an answer, its agent and its task. */
export interface Answer extends Names {
  readonly payload: Json;
  /** Those that the submitter's profile publishes, as sent. */
  readonly capabilities: readonly string[];
}

/** Runs a part that needs a hard stop; the payload is a text or a document, as its kind wants. */
type OwnCheck = (part: HeavyPart, payload: Json) => Promise<Why | Misfit>;

/** The same for many agents, which take turns; the operator counts as one of them. */
export type HeavyCheck = (
  agent: number | "operator",
  ...check: Parameters<OwnCheck>
) => Promise<Why | Misfit>;

export interface Checkers extends Tools {
  readonly heavy: OwnCheck;
}

export interface Check {
  readonly check: Part["kind"] | "original";
  readonly passed: boolean;
  readonly why: Why;
  /** Where a document does not fit its schema. */
  readonly at?: string;
}

/** One check per part, in order, each with its own result. */
export async function checkParts(
  criterion: Criterion,
  answer: Answer,
  checkers: Checkers,
): Promise<Check[]> {
  const checks: Check[] = [];
  for (const part of partsOf(criterion)) {
    const found = await checkPart(withNames(part, answer), answer, checkers);
    const misfit = typeof found === "object" ? found : { why: found };
    checks.push({ check: part.kind, passed: found === "ok", ...misfit });
  }
  return checks;
}

function checkPart(part: Part, answer: Answer, checkers: Checkers): Why | Promise<Why | Misfit> {
  if (part.kind === "json_schema" || part.kind === "json_pointer") {
    const document = documentOf(answer.payload);
    if (document === undefined) return "payload_not_json";
    return part.kind === "json_schema"
      ? checkers.heavy(part, document)
      : checkPointers(part, document);
  }
  const { payload } = answer;
  if (typeof payload !== "string") return "payload_not_text";
  return part.kind === "regex"
    ? checkers.heavy(part, payload)
    : checkText(part, payload, answer, checkers);
}

type TextPart = PartOf<"exact" | "sha256" | "hash_pow" | "ed25519">;

function checkText(part: TextPart, payload: string, answer: Answer, tools: Tools): Why {
  switch (part.kind) {
    case "exact":
      return checkExact(part, payload);
    case "sha256":
      return checkSha256(part, payload, tools);
    case "hash_pow":
      return checkHashPow(part, payload, tools);
    case "ed25519":
      return checkEd25519(part, payload, answer.capabilities, tools);
  }
}

/** Any JSON value but a string is its own document; a string holds one or none. */
function documentOf(payload: Json): Json | undefined {
  if (typeof payload !== "string") return payload;
  try {
    const document: unknown = JSON.parse(payload);
    return isJson(document) ? document : undefined;
  } catch {
    return undefined;
  }
}
