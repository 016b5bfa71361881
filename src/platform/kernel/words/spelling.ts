import * as z from "zod";

/** Other names of a field, which fill it where it is absent. None stands for whose a thing is. */
const ALIASES: ReadonlyMap<string, readonly string[]> = new Map([
  ["reply_to", ["parent_id", "in_reply_to"]],
  ["q", ["query"]],
  ["capability", ["skill", "query"]],
  ["rule", ["reason"]],
]);

const WHOLE_TEXT = [
  "body",
  "content",
  "description",
  "message",
  "mission",
  "statement",
  "summary",
  "text",
];
const SHORT_TEXT = ["description", "message", "mission", "summary", "text"];

/**
 * Fields that hold the text of a write, and other names for it. A write requires one of them at most. No whole text
 * stands for a summary, and no answer for a question.
 */
const TEXTS: ReadonlyMap<string, readonly string[]> = new Map([
  ["body", [...WHOLE_TEXT, "answer"]],
  ["statement", WHOLE_TEXT],
  ["answer", WHOLE_TEXT],
  ["text", [...WHOLE_TEXT, "question"]],
  ["reason", WHOLE_TEXT],
  ["mission", SHORT_TEXT],
  ["description", SHORT_TEXT],
  ["summary", SHORT_TEXT],
]);

/** A longer name is none of a field: its letters are not looked at. A body can be all name. */
export const NAME_LENGTH_MAX = 64;

/** `replyTo`, `reply-to` and `ReplyTo` are `reply_to`. */
export const inSnakeCase = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll("-", "_")
    .toLowerCase();

/** An operation as far as its fields go; without its path no other name of an id is known. */
interface Spelling {
  readonly input: z.ZodObject;
  readonly path?: string;
}

/** The field of an input that a name means; undefined where it means none, or is one already. */
export function fieldMeant(operation: Spelling, name: string): string | undefined {
  const { shape } = operation.input;
  if (name.length > NAME_LENGTH_MAX || Object.hasOwn(shape, name)) return undefined;
  const spelled = inSnakeCase(name);
  if (Object.hasOwn(shape, spelled)) return spelled;
  for (const [field, names] of ALIASES)
    if (Object.hasOwn(shape, field) && names.includes(spelled)) return field;
  return idMeant(operation, spelled);
}

const OF_ID = /(?:^|_)id$/i;

/**
 * The id of the one thing that an operation's path names, under its other name: `id` for `request_id` of
 * `/request/withdraw`, and `repo_id` for `id` of `/repo/{id}`. `/request/accept` takes an answer and names a request, so
 * an `id` there may be either and stands for neither.
 */
function idMeant({ input: { shape }, path = "" }: Spelling, name: string): string | undefined {
  if (!OF_ID.test(name)) return undefined;
  const kinds = path.split("/").map((word) => word.replace(/s$/, ""));
  if (name !== "id") {
    const isItsOwn = kinds.includes(name.replace(/_id$/, ""));
    return isItsOwn && Object.hasOwn(shape, "id") ? "id" : undefined;
  }
  const required = Object.entries(shape).flatMap(([field, schema]) =>
    field.endsWith("_id") && !z.safeParse(schema, undefined).success ? [field] : [],
  );
  const [only, ...others] = required;
  const isClear = only !== undefined && kinds.includes(only.replace(/_id$/, ""));
  return isClear && others.length === 0 ? only : undefined;
}

/** A field, and what an answer says of it. */
interface Said {
  readonly field: string;
  readonly problem: string;
}

/** Says which ids were sent under their other name. */
export function idHints(operation: Spelling, sent: object): readonly Said[] {
  return Object.keys(sent).flatMap((name) => {
    const field = OF_ID.test(name) ? fieldMeant(operation, name) : undefined;
    const isTaken =
      field !== undefined && inSnakeCase(name) !== field && !Object.hasOwn(sent, field);
    const isAlias = [...ALIASES.values()].some((names) => names.includes(name));
    return isTaken && !isAlias ? [{ field: name, problem: `was taken as ${field}` }] : [];
  });
}

/** The required text that a name stands for; undefined where the input requires none, or has that name. */
const textMeant = (shape: z.ZodObject["shape"], name: string): string | undefined =>
  TEXTS.keys().find(
    (field) =>
      TEXTS.get(field)?.includes(inSnakeCase(name)) === true &&
      Object.hasOwn(shape, field) &&
      !z.safeParse(shape[field], undefined).success,
  );

/**
 * An input with each field under its own name: another spelling or an alias fills it where it is absent. Beside the
 * field itself it stays what it was, an unknown one. A missing text is taken from the one name that is no field.
 */
export function spelled(operation: Spelling, sent: object): object {
  const { shape } = operation.input;
  let filled: Record<string, unknown> | null = null;
  const unknown: string[] = [];
  for (const name of Object.keys(sent)) {
    if (Object.hasOwn(shape, name)) continue;
    const field = fieldMeant(operation, name);
    if (field === undefined || Object.hasOwn(filled ?? sent, field)) unknown.push(name);
    else filled = moved(filled ?? sent, name, field);
  }
  const [name, ...others] = unknown;
  const text = name === undefined || others.length > 0 ? undefined : textMeant(shape, name);
  if (name === undefined || text === undefined || Object.hasOwn(filled ?? sent, text))
    return filled ?? sent;
  return moved(filled ?? sent, name, text);
}

function moved(sent: object, from: string, to: string): Record<string, unknown> {
  const { [from]: value, ...rest } = { ...sent } as Record<string, unknown>;
  return { ...rest, [to]: value };
}
