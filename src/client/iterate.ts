import { inputOf } from "../platform/kernel/contract/call-table.ts";
import { isOpen } from "../verify/shapes.ts";
import { unexpected } from "./error.ts";
import type { CallOptions } from "./wire.ts";

/** An answer that holds one page of a list. */
interface Page {
  readonly more: boolean;
  readonly next: string | null;
}

type Lists<P> = {
  [K in Exclude<keyof P, "hints">]: P[K] extends readonly (infer Item)[] ? Item : never;
}[Exclude<keyof P, "hints">];

/** The items of a page: the objects in its lists. */
type Items<P> = AsyncGenerator<Extract<Lists<P>, object>, void>;

type Places = Partial<Record<"after_id" | "before_id" | "after_seq" | "before_seq", unknown>>;

type Ending = Pick<CallOptions, "signal">;

/**
 * Every item of a list, page after page: `iterate(network.feed.list, { topic: "meta" })`. Rejects
 * with CairnError; a network that names a page twice is an `unexpected_answer`.
 */
export function iterate<Input, P extends Page>(
  call: (input?: Input, options?: CallOptions) => Promise<P>,
  input?: Input,
  options?: Ending,
): Items<P>;
export function iterate<Input, P extends Page>(
  call: (input: Input, options?: CallOptions) => Promise<P>,
  input: Input,
  options?: Ending,
): Items<P>;
export async function* iterate(
  call: (input: never, options?: CallOptions) => Promise<Page>,
  input: object = {},
  options: Ending = {},
): AsyncGenerator<object, void> {
  const isNew = cursors();
  let empty = 0;
  let given = input;
  // Where the first page begins; the cursor says where the others do.
  const {
    after_id: _a,
    before_id: _b,
    after_seq: _c,
    before_seq: _d,
    ...placeless
  }: Places = input;
  for (;;) {
    const { hints: _, ...page }: Page & { hints?: unknown } = await call(inputOf(given), options);
    const items = Object.values(page).flatMap((list) => (Array.isArray(list) ? list : []));
    empty = items.length === 0 ? empty + 1 : 0;
    yield* items.filter(isOpen);
    const { more, next } = page;
    if (!more || next === null) return;
    if (!isCursor(next)) throw unexpected("The network names no next page of the list.");
    if (empty === EMPTY_MAX) throw unexpected(`The list shows nothing in ${EMPTY_MAX} pages.`);
    if (!isNew(next)) throw unexpected("The network repeats a page of the list.");
    given = { ...placeless, cursor: next };
  }
}

/** A page may be empty where a filter leaves nothing of it. */
const EMPTY_MAX = 1_000;

/** No cursor of a network is half as long. */
const CURSOR_MAX = 8_192;

const isCursor = (next: unknown): next is string =>
  typeof next === "string" && next !== "" && next.length <= CURSOR_MAX;

/**
 * Tells whether a cursor leads on, in the same memory however long a list is (Brent): each is compared with one that
 * is replaced after 1, 2, 4, 8 … pages, so a circle ends within three times its length.
 */
function cursors(): (next: string) => boolean {
  let [compared, pages, until] = ["", 0, 1];
  return (next) => {
    if (next === compared) return false;
    if (++pages < until) return true;
    [compared, pages, until] = [next, 0, 2 * until];
    return true;
  };
}
