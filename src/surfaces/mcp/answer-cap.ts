import { reject } from "../../platform/kernel/contract/errors.ts";
import { bytesOf } from "../../platform/kernel/contract/page.ts";
import type { BoundOperation } from "../dispatch/registry.ts";
import type { Success } from "./shared-reads.ts";

type Args = Readonly<Record<string, unknown>>;
type Body = Readonly<Record<string, unknown>>;

/** What a tool answers to a caller that asks for no number of items: about 4,500 tokens. */
export const TOOL_ANSWER_MAX_BYTES = 16_000;

/** Items differ in length, so each attempt asks for a little less than would fit on average. */
const MARGIN = 0.9;

/**
 * The answer of a tool, short enough to be read whole. Where the caller sends no `limit`, a list that is
 * too long is asked for again with a smaller one, so that its cursors lead on; the parts of a view end early, and
 * so does a document, which goes on at its `next`. `more` says so in each case. A single larger item is answered
 * completely. Rejects with `validation_failed` for a cursor that no document has given.
 */
export async function capped(
  { input: { shape }, document }: Pick<BoundOperation, "input" | "document">,
  sent: Args,
  answer: (args: Args) => Promise<Success>,
): Promise<Success> {
  if (document !== undefined && shape["cursor"] === undefined) {
    const { cursor, ...args } = sent;
    return partOf(await answer(args), placeOf(cursor));
  }
  const args = sent;
  let success = await answer(args);
  if (shape["limit"] === undefined) return fits(success) ? success : cutParts(success);
  if (args["limit"] !== undefined && args["limit"] !== null) return success;
  for (let limit = shownIn(success.body); limit > 1 && !fits(success); ) {
    const share = (TOOL_ANSWER_MAX_BYTES / bytesIn(success)) * MARGIN;
    limit = Math.max(1, Math.min(limit - 1, Math.floor(limit * share)));
    // An answer was found, so the second attempt has nothing to wait for.
    const waiting = shape["wait"] === undefined ? {} : { wait: 0 };
    success = await answer({ ...args, ...waiting, limit });
  }
  return success;
}

const bytesIn = ({ text }: Success): number => Buffer.byteLength(text);
const fits = (success: Success): boolean => bytesIn(success) <= TOOL_ANSWER_MAX_BYTES;

/** How many items of a document were read before. */
function placeOf(cursor: unknown): number {
  if (cursor === undefined || cursor === null) return 0;
  if (typeof cursor === "string" && /^[1-9][0-9]{0,5}$/.test(cursor)) return Number(cursor);
  const problem = "must be next of the last answer";
  return reject("validation_failed", `\`cursor\` ${problem}.`, [{ field: "cursor", problem }]);
}

/**
 * The part of a document that begins behind so many items of its list, and as much of it as fits. Only the first
 * part has the rest of the document.
 */
function partOf(whole: Success, place: number): Success {
  if (place === 0 && fits(whole)) return whole;
  const [name, list] = listIn(whole.body) ?? [];
  if (name === undefined || list === undefined) return place === 0 ? whole : partOf(whole, 0);
  const rest = list.slice(place);
  const { notice, ok } = whole.body;
  const beside = place === 0 ? whole.body : { ...(notice !== undefined && { notice }), ok };
  const all = { ...beside, [name]: rest, count: rest.length, more: false };
  const over = Buffer.byteLength(JSON.stringify(all)) + NEXT_BYTES - TOOL_ANSWER_MAX_BYTES;
  const kept = over <= 0 ? rest : headOf(rest, bytesOf(rest) - over);
  const more = kept.length < rest.length;
  const body = {
    ...all,
    [name]: kept,
    count: kept.length,
    more,
    next: more ? String(place + kept.length) : null,
  };
  return { text: JSON.stringify(body), body };
}

const NEXT_BYTES = '"next":"100000",'.length;

/** The longest list of a document that says how many items it has, and whether there are more. */
function listIn(body: Body): readonly [string, readonly unknown[]] | undefined {
  return Object.entries(body)
    .flatMap(([name, list]) =>
      Array.isArray(list) && markOf(body, name) === "more" ? [[name, list] as const] : [],
    )
    .sort(([, a], [, b]) => bytesOf(b) - bytesOf(a))[0];
}

/** How many items an answer shows: its count, or those of its longest list. */
const shownIn = ({ count, ...body }: Body): number =>
  typeof count === "number"
    ? count
    : Math.max(...Object.values(body).map((list) => (Array.isArray(list) ? list.length : 0)));

/** Ends the longest lists that say whether there is more, until the whole fits. */
function cutParts({ body: whole, text }: Success): Success {
  const body: Record<string, unknown> = { ...whole };
  let over = Buffer.byteLength(text) - TOOL_ANSWER_MAX_BYTES;
  const lists = Object.entries(whole).flatMap(([name, list]) => {
    const mark = markOf(whole, name);
    return Array.isArray(list) && mark !== null ? [{ name, list, mark, bytes: bytesOf(list) }] : [];
  });
  for (const { name, list, mark, bytes } of lists.sort((a, b) => b.bytes - a.bytes)) {
    if (over <= 0) break;
    const kept = headOf(list, bytes - over);
    over -= bytes - bytesOf(kept);
    body[name] = kept;
    body[mark] = true;
    if (mark === "more" && typeof body["count"] === "number") body["count"] = kept.length;
  }
  return { text: JSON.stringify(body), body };
}

/** The field that says whether a list has more; null for a list with a cursor, which must stay whole. */
function markOf(body: Body, name: string): string | null {
  if ("next" in body) return null;
  if (typeof body[`${name}_more`] === "boolean") return `${name}_more`;
  return typeof body["more"] === "boolean" && typeof body["count"] === "number" ? "more" : null;
}

/** The first items, as many as come to so many bytes. */
function headOf(list: readonly unknown[], max_bytes: number): unknown[] {
  const kept: unknown[] = [];
  let bytes = 2;
  for (const item of list) {
    bytes += bytesOf(item) + 1;
    if (bytes > max_bytes) break;
    kept.push(item);
  }
  return kept;
}
