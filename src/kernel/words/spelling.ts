import * as z from "zod";

/** Other names of a field, which fill it where it is absent. None stands for whose a thing is, or which one it is. */
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

/** `replyTo`, `reply-to` and `ReplyTo` are `reply_to`. */
export const inSnakeCase = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll("-", "_")
    .toLowerCase();

/** The field of an input that a name means; undefined where it means none, or is one already. */
export function fieldMeant(shape: z.ZodObject["shape"], name: string): string | undefined {
  if (Object.hasOwn(shape, name)) return undefined;
  const spelled = inSnakeCase(name);
  if (Object.hasOwn(shape, spelled)) return spelled;
  for (const [field, names] of ALIASES)
    if (Object.hasOwn(shape, field) && names.includes(spelled)) return field;
  return undefined;
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
export function spelled({ input }: { readonly input: z.ZodObject }, sent: object): object {
  const { shape } = input;
  let filled: Record<string, unknown> | null = null;
  const unknown: string[] = [];
  for (const name of Object.keys(sent)) {
    if (Object.hasOwn(shape, name)) continue;
    const field = fieldMeant(shape, name);
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
