import * as z from "zod";

interface Taking {
  readonly input: z.ZodObject;
}

/** What an answer says beside its result. */
interface Hint {
  readonly field: string;
  readonly problem: string;
}

const DIGITS = /^[0-9]{1,300}$/;

/** The bound of a `limit` that its field refuses; undefined where it takes it, or has none. */
function boundOver({ input }: Taking, limit: number): number | undefined {
  const field = input.shape["limit"];
  if (field === undefined || z.safeParse(field, limit).success) return undefined;
  const { anyOf = [], ...whole } = z.toJSONSchema(field, { io: "input" });
  const bounds = [whole, ...anyOf].map((each) => (typeof each === "object" ? each.maximum : null));
  return bounds.find((bound) => typeof bound === "number");
}

/**
 * An input for a model, in which a `limit` above the bound is the bound, with what the answer says about that: the
 * page is shorter, and goes on at its cursor.
 */
export function clamped(
  operation: Taking,
  sent: object,
): { readonly sent: object; readonly hints: readonly Hint[] } {
  const limit: unknown = Object.hasOwn(sent, "limit") ? Reflect.get(sent, "limit") : undefined;
  const isCount = typeof limit === "string" ? DIGITS.test(limit) : Number.isInteger(limit);
  if (!isCount) return { sent, hints: [] };
  const most = boundOver(operation, Number(limit));
  if (most === undefined || Number(limit) <= most) return { sent, hints: [] };
  const problem = `is at most ${most}, and was taken as ${most}`;
  return { sent: { ...sent, limit: most }, hints: [{ field: "limit", problem }] };
}
