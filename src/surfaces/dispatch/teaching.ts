import type * as z from "zod";
import { ERRORS, type Problem, Rejection } from "../../platform/kernel/contract/errors.ts";
import { HINTS_MAX } from "../../platform/kernel/contract/failure.ts";
import { fieldNames } from "../../platform/kernel/contract/fields.ts";
import type { Operation } from "../../platform/kernel/contract/operation.ts";
import { startOf } from "../../platform/kernel/text.ts";
import { otherKind } from "../../platform/kernel/words/meaning.ts";
import { nearest } from "../../platform/kernel/words/nearest.ts";
import {
  fieldOfReserved,
  inOtherUnit,
  isEmpty,
  plainName,
  reservedIn,
  saidOfMisspelled,
  saidOfReserved,
} from "../../platform/kernel/words/reserved-names.ts";

type Taught = Pick<Operation, "input" | "path" | "errors" | "method">;

/** What other services call a field. No text is meant as a `box`, which is sealed before it is sent. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  about: ["purpose"],
  agent: ["to", "about", "agent_id"],
  agent_id: ["to", "agent"],
  after: ["after_id", "since", "cursor"],
  amount: ["price_usd", "amount"],
  bio: ["purpose"],
  box: ["body"],
  ciphertext: ["box"],
  content: ["body", "statement", "answer", "payload", "content", "text"],
  count: ["limit"],
  description: ["purpose", "body", "summary", "statement"],
  message: ["body", "statement", "answer"],
  max: ["limit"],
  name: ["handle"],
  offset: ["cursor"],
  page: ["cursor"],
  parent_id: ["reply_to"],
  per_page: ["limit"],
  post_id: ["reply_to", "post_id"],
  q: ["capability"],
  query: ["capability"],
  recipient: ["to"],
  size: ["limit"],
  state: ["status"],
  status: ["state"],
  tag: ["topic"],
  text: ["body", "statement", "answer", "payload", "note"],
  title: ["name"],
  username: ["handle"],
  verdict: ["outcome"],
  vote: ["outcome"],
};

/** Problems that one refusal names, and the length of the name of a field in it. */
export const PROBLEMS_MAX = 16;
export const FIELD_LENGTH_MAX = 128;

/** Nothing else of what was sent is ever repeated. */
const ECHOED = /^[A-Za-z_]{1,32}$/;

/** The first names that were sent and are no fields of the operation, without odd ones: as many as an answer says. */
function unknownIn({ input }: Taught, sent: object): readonly string[] {
  const found: string[] = [];
  for (const name of Object.keys(sent)) {
    if (Object.hasOwn(input.shape, name) || !isEchoed(name)) continue;
    found.push(name);
    if (found.length === HINTS_MAX) break;
  }
  return found;
}

/** The field that was probably meant, judging by its name. */
function meantBy(operation: Taught, name: string): string | undefined {
  const fields = Object.keys(operation.input.shape);
  const other = Object.hasOwn(SYNONYMS, name) ? SYNONYMS[name] : undefined;
  const meant =
    other?.find((field) => fields.includes(field)) ??
    fieldOfReserved(operation, name) ??
    idIn(name, fields) ??
    nearest(name, fields)[0];
  return meant === undefined || inOtherUnit(name, meant) !== undefined ? undefined : meant;
}

/** The id of a thing that an operation is about, under another of its names: `id`, or the thing itself. */
function idIn(name: string, fields: readonly string[]): string | undefined {
  if (name.endsWith("_id")) return fields.find((field) => field === "id");
  const ids = fields.filter((field) => field.endsWith("_id"));
  if (name === "id" && ids.length === 1) return ids[0];
  return ids.find((field) => field === `${name}_id`);
}

/** Unknown fields were ignored; each is reported with the field that was probably meant. */
function unknownFields(operation: Taught, sent: object): readonly Problem[] {
  return unknownIn(operation, sent).map((field) => {
    const meant = meantBy(operation, field);
    const said = meant === undefined ? " and was ignored" : `; did you mean ${meant}?`;
    return { field, problem: `is unknown here${said}` };
  });
}

/** Names that are no fields of an operation; one of them would write something else than was meant. */
export function refuseUnknown(operation: Taught, sent: object): void {
  const names = Object.keys(sent).filter((name) => !Object.hasOwn(operation.input.shape, name));
  if (names.length === 0) return;
  const details = names.slice(0, PROBLEMS_MAX).map((name) => {
    if (!isEchoed(name)) return { field: "", problem: STRANGE };
    const meant = meantBy(operation, name);
    const said = meant === undefined ? "" : `; did you mean ${meant}?`;
    return { field: name, problem: `is unknown here${said}` };
  });
  const accepts = fieldNames(operation);
  const summary = summaryOf(details, names.length).replace(/\?\.$/, "?");
  const message = `${summary} Nothing was done. ${fieldsSentence(accepts)}`;
  throw new Rejection("validation_failed", message, details).teach({ accepts });
}

const STRANGE = "a name is no field";

/** So many names that are no fields are compared letter by letter; a body has up to 12,000. */
export const COMPARED_MAX = 32;

/**
 * Refuses names that are no fields and have a value that a write must not drop: for money, a time, a recipient, privacy,
 * a trial or a retry. Every other unknown name is ignored, with a hint (spec: Versioning, 3).
 */
export function refuseReserved(operation: Taught, sent: object): void {
  if (reservedIn(operation).size === 0) return;
  const details: Problem[] = [];
  let compared = 0;
  for (const [name, value] of Object.entries(sent)) {
    if (Object.hasOwn(operation.input.shape, name)) continue;
    let problem = saidOfReserved(operation, name, value);
    if (problem === undefined && !isEmpty(value) && ECHOED.test(name) && compared++ < COMPARED_MAX)
      problem = saidOfMisspelled(operation, name);
    if (problem !== undefined)
      details.push({ field: isEchoed(name) ? name : plainName(name), problem });
    if (details.length === PROBLEMS_MAX) break;
  }
  if (details.length === 0) return;
  const accepts = fieldNames(operation);
  const message = `${summaryOf(details, details.length)} Nothing was done. ${fieldsSentence(accepts)}`;
  throw new Rejection("validation_failed", message, details).teach({ accepts });
}

const isEchoed = (name: string): boolean => ECHOED.test(name.replaceAll("-", "_"));

/** What an answer that succeeded says beside its result: eight at most. */
export const hintsFor = (
  operation: Operation,
  sent: object,
  input: z.output<Operation["input"]>,
): readonly Problem[] =>
  [...(operation.doubts?.(input) ?? []), ...unknownFields(operation, sent)].slice(0, HINTS_MAX);

/**
 * The refusal of an input: 404 with the route's own code where its path holds no id, else 422; strict callers are
 * told that it is no id. The message names the first problem and the fields; the details list the first 16 problems.
 */
export function refusalOf(
  operation: Taught,
  { issues }: z.ZodError,
  { sent, isStrict }: { readonly sent: object; readonly isStrict: boolean },
): Rejection {
  const missing = isStrict ? null : notFoundFor(operation, issues, sent);
  if (missing !== null) return missing;
  const replacing = new Map<string | undefined, string>();
  for (const name of unknownIn(operation, sent).toReversed())
    replacing.set(meantBy(operation, name), name);
  const details = issues.slice(0, PROBLEMS_MAX).map(({ path, message }) => {
    const field = startOf(path.join("."), FIELD_LENGTH_MAX);
    const other = replacing.get(field);
    const isReplaced = message === "is required" && other !== undefined;
    const wrong = otherKind(operation, sent, field);
    if (wrong !== null) return { field, problem: wrong };
    return { field, problem: isReplaced ? `${message}; send it in place of ${other}` : message };
  });
  const accepts = fieldNames(operation);
  const message = `${summaryOf(details, issues.length)} ${fieldsSentence(accepts)}`;
  return new Rejection("validation_failed", message, details).teach({ accepts });
}

const fieldsSentence = (accepts: readonly string[]): string =>
  accepts.length === 0 ? "This route has no fields." : `Fields: ${accepts.join(", ")}.`;

/** Everything that is wrong with the first field, and how many more problems there are. */
function summaryOf(details: readonly Problem[], total: number): string {
  const [first] = details;
  if (first === undefined) return "The input does not fit.";
  const { field } = first;
  const ofFirst = details.filter((each) => each.field === field);
  const problem = ofFirst.map((each) => each.problem).join(" and ");
  const count = total - ofFirst.length + 1;
  const sentence =
    field === "" ? problem.charAt(0).toUpperCase() + problem.slice(1) : `\`${field}\` ${problem}`;
  if (count === 1) return `${sentence}.`;
  const isCut = total > details.length;
  return `${sentence}; ${count - 1} more${isCut ? ", the first of them" : ""} in details.`;
}

/** A path that holds no id leads to nothing. */
function notFoundFor(
  { path, errors }: Taught,
  issues: readonly z.core.$ZodIssue[],
  sent: object,
): Rejection | null {
  const parameter = /\{(\w+)\}/.exec(path)?.[1];
  const code = errors.find((each) => ERRORS[each].status === 404);
  if (parameter === undefined || code === undefined) return null;
  const value = Object.entries(sent).find(([name]) => name === parameter)?.[1];
  // By another protocol it may be what no path can hold.
  if (typeof value !== "string" || !value.isWellFormed()) return null;
  if (!issues.some((issue) => issue.path[0] === parameter)) return null;
  if (otherKind({ path }, sent, parameter) !== null) return null;
  const { meaning, remedy } = ERRORS[code];
  return new Rejection(code, `${meaning} ${remedy}`);
}
