import { inputOf } from "../kernel/contract/call-table.ts";
import { isOpen } from "../verify/shapes.ts";
import { CairnError } from "./error.ts";
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
  const seen = new Set<string>();
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
    for (const list of Object.values(page))
      if (Array.isArray(list)) for (const item of list) if (isOpen(item)) yield item;
    const { more, next } = page;
    if (!more || next === null) return;
    if (seen.has(next)) {
      const message = "The network repeats a page of the list.";
      throw new CairnError({ code: "unexpected_answer", message });
    }
    seen.add(next);
    given = { ...placeless, cursor: next };
  }
}
