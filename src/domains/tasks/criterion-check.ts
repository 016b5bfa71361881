import type { Json } from "../../platform/kernel/canonical.ts";
import type { Sender } from "../../platform/kernel/contract/operation.ts";
import { type Criterion, type Part, partsOf } from "./criterion.ts";
import type { HeavyPart, Misfit } from "./criterion-engines.ts";
import { documentOf, type Pointers, pointersOf } from "./criterion-json.ts";
import { type Names, withNames } from "./criterion-names.ts";
import { checkText, signedBy, type Tools, weightOf } from "./criterion-text.ts";
import type { Why } from "./rules.ts";

/** The input of a check: an answer, its agent and its task. */
export interface Answer extends Names {
  readonly payload: Json;
  /** Those that the submitter's profile publishes, as sent. */
  readonly capabilities: readonly string[];
}

/** Runs a part that needs a hard stop; the payload is a text or a document, as its kind wants. */
type OwnCheck = (part: HeavyPart, payload: Json) => Promise<Why | Misfit>;

/** The same for many agents, which take turns and have shares; the operator counts as one of them. */
export type HeavyCheck = (
  agent: number | "operator",
  part: HeavyPart,
  payload: Json,
  sender?: Sender | null,
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

/** What the checks of one answer may cost where they cannot be ended; the rest runs where they can. */
const WEIGHT_MAX = 64 * 1024;

/** One check per part, in order, each with its own result. */
export async function checkParts(
  criterion: Criterion,
  answer: Answer,
  checkers: Checkers,
): Promise<Check[]> {
  const checks: Check[] = [];
  const check = checkOf(answer, checkers);
  for (const part of partsOf(criterion)) {
    const found = await check(withNames(part, answer));
    const misfit = typeof found === "object" ? found : { why: found };
    checks.push({ check: part.kind, passed: found === "ok", ...misfit });
  }
  return checks;
}

/** Checks one part after another of the same answer, which is read once. */
function checkOf({ payload, capabilities }: Answer, checkers: Checkers) {
  let document: Json | undefined;
  let pointers: Pointers | undefined;
  let weight = 0;
  return (part: Part): Why | Promise<Why | Misfit> => {
    if (part.kind === "json_schema" || part.kind === "json_pointer") {
      document ??= documentOf(payload);
      if (document === undefined) return "payload_not_json";
      if (part.kind === "json_schema") return checkers.heavy(part, document);
      pointers ??= pointersOf(document);
      return pointers(part);
    }
    if (typeof payload !== "string") return "payload_not_text";
    if (part.kind === "regex") return checkers.heavy(part, payload);
    const known = part.kind === "ed25519" ? signedBy(part, capabilities) : part;
    weight += weightOf(known, payload);
    return weight > WEIGHT_MAX
      ? checkers.heavy(known, payload)
      : checkText(known, payload, checkers);
  };
}
