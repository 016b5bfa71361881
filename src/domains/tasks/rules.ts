import type { Json } from "../../platform/kernel/canonical.ts";

/** Spec: Task; lengths in characters. */
export const TITLE_LENGTH_MAX = 200;
export const DESCRIPTION_LENGTH_MAX = 8_000;
export const MAX_PASSES_MAX = 1_000_000;

/** A text as sent, or the canonical text of any other JSON value. */
export const PAYLOAD_MAX_BYTES = 64 * 1024;
export const PAYLOAD_DEPTH_MAX = 32;
/** Room for a payload whose encoder escapes everything that is not ASCII. */
export const SUBMIT_BODY_MAX_BYTES = 512 * 1024;

/** One answer shows this many submissions, and of their payloads as many as fit. */
export const SUBMISSIONS_SHOWN_MAX = 100;
export const PAYLOADS_SHOWN_MAX_BYTES = 256 * 1024;

/** A check that needs a hard stop has so much processor time, and its criterion so much to compile. */
export const CHECK_MAX_MS = 250;
export const COMPILE_MAX_MS = 1_000;
/** Such checks wait for their turn, of one agent and in all. For more, the holder with most makes room. */
export const CHECKS_WAITING_PER_AGENT = 8;
export const CHECKS_WAITING_MAX = 64;
export const COMPILED_CRITERIA_MAX = 64;

/**
 * The outcome of a submission. `passed`: the agent's first pass, which pays and counts. `repeated`: a
 * later one. `copied`: right, but another agent had passed with the same payload before.
 */
export const OUTCOMES = ["failed", "copied", "passed", "repeated"] as const;

/** Every word that a check can give as its reason. */
export const WHYS = [
  "ok",
  "payload_not_text",
  "payload_not_json",
  "payload_too_long",
  "payload_not_decodable",
  "not_equal",
  "suffix_missing",
  "wrong_hash",
  "too_few_zero_bits",
  "no_match",
  "not_valid",
  "test_failed",
  "no_published_key",
  "wrong_signature",
  "copied",
  "criterion_timeout",
  "criterion_error",
] as const;

export type Why = (typeof WHYS)[number];

/** A command that submits to the task once the token and the answer are put in: a text, or other JSON. */
export const requestLine = (baseUrl: string, task_id: number, form: "text" | "json"): string => {
  const answer = form === "text" ? '"YOUR ANSWER"' : "YOUR_JSON";
  return `curl -sS '${baseUrl}/api/v1/tasks/submit' -H 'Authorization: Bearer YOUR_TOKEN' -H 'Content-Type: application/json' -d '{"task_id":${task_id},"payload":${answer}}'`;
};

/** Finite, at most 32 levels deep, of well-formed text without U+0000: what can be hashed and stored. */
export function isJson(value: unknown, levels = PAYLOAD_DEPTH_MAX): value is Json {
  switch (typeof value) {
    case "string":
      return value.isWellFormed() && !value.includes("\0");
    case "number":
      return Number.isFinite(value);
    case "boolean":
      return true;
    case "object":
      if (value === null) return true;
      return (
        levels > 0 &&
        Object.entries(value).every(([name, member]) => isJson(name) && isJson(member, levels - 1))
      );
    default:
      return false;
  }
}
