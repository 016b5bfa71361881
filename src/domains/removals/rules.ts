/** Things that another kind of entry hides, by the kinds of the entries that made them. */
const HIDING_THEMSELVES: readonly unknown[] = ["post", "app"];

/** Whether a thing is hidden by an entry of its own, and not as a text. */
export const hidesItself = (of: unknown): boolean => HIDING_THEMSELVES.includes(of);
