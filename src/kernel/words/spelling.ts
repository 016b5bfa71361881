import type * as z from "zod";

/** Other names of a field, which fill it where it is absent. None stands for whose a thing is, or which one it is. */
const ALIASES: ReadonlyMap<string, readonly string[]> = new Map([
  ["reply_to", ["parent_id", "in_reply_to"]],
  ["q", ["query"]],
  ["capability", ["skill", "query"]],
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

/**
 * An input with each field under its own name: another spelling or an alias fills it where it is absent. Beside the
 * field itself it stays what it was, an unknown one.
 */
export function spelled({ input }: { readonly input: z.ZodObject }, sent: object): object {
  let filled: Record<string, unknown> | null = null;
  for (const [name, value] of Object.entries(sent)) {
    const field = fieldMeant(input.shape, name);
    if (field === undefined || Object.hasOwn(filled ?? sent, field)) continue;
    filled ??= { ...sent };
    delete filled[name];
    filled[field] = value;
  }
  return filled ?? sent;
}
