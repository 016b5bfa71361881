import type * as z from "zod";

const TYPES: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  bigint: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};

type Issue = z.core.$ZodRawIssue;
type Bound =
  | z.core.$ZodRawIssue<z.core.$ZodIssueTooBig>
  | z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall>;

const UNITS: Readonly<Record<string, string>> = { string: "characters", array: "items" };

/** `word`: at least or at most; of numbers the bound itself may be out of it. */
function boundOf({ origin, inclusive }: Bound, word: "least" | "most", bound: unknown): string {
  const unit = UNITS[origin];
  if (unit !== undefined) return `must have at ${word} ${bound} ${unit}`;
  if (inclusive === false) return `must be ${word === "least" ? "more" : "less"} than ${bound}`;
  return `must be at ${word} ${bound}`;
}

/** What a union takes: types, and objects by the member that each form has; undefined where it is neither. */
function formsOf(errors: readonly (readonly z.core.$ZodIssue[])[]): string | undefined {
  const forms = errors.map(([first]) => {
    const [field] = first?.path ?? [];
    if (field !== undefined) return `{${String(field)}}`;
    return first?.code === "invalid_type" ? TYPES[first.expected] : undefined;
  });
  if (forms.length === 0 || forms.includes(undefined)) return undefined;
  return `must be ${[...new Set(forms)].join(" or ")}`;
}

/**
 * A sentence without its subject for each fault that a schema has no words of its own for. It says
 * what is expected and never quotes what was sent.
 */
export function problemOf(issue: Issue): string {
  if (issue.input === undefined && issue.code !== "custom") return "is required";
  switch (issue.code) {
    case "invalid_type":
      return `must be ${TYPES[issue.expected] ?? "of another type"}`;
    case "too_small":
      return boundOf(issue, "least", issue.minimum);
    case "too_big":
      return boundOf(issue, "most", issue.maximum);
    case "invalid_format":
      return issue.pattern === undefined
        ? "has another form"
        : `must have the form ${issue.pattern}`;
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "invalid_value": {
      const values = issue.values.map(String);
      return values.length === 1 ? `must be ${values[0]}` : `must be one of ${values.join(", ")}`;
    }
    case "invalid_union":
      return formsOf(issue.errors) ?? "has none of the accepted types";
    case "unrecognized_keys":
      return "has fields that are unknown here";
    case "invalid_key":
    case "invalid_element":
      return "has a member that does not fit";
    default:
      return "does not fit";
  }
}
