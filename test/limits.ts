import assert from "node:assert/strict";

/** A figure that may not grow for ever. */
interface Limit {
  readonly max: number;
  /** `max` where it stands: the constant and its file. */
  readonly at: string;
  /** Whom it protects, and what to do where a change needs more. */
  readonly because: string;
}

/** Fails with the figure, its bound and the way out. */
export function within(what: string, figure: number, { max, at, because }: Limit): void {
  assert.ok(figure <= max, `${what}: ${Math.ceil(figure)}, and ${max} at most (${at}). ${because}`);
}

/** Fails with what is in a list that must be empty, and with the way out. */
export function none(found: readonly unknown[], wayOut: string): void {
  assert.ok(found.length === 0, [wayOut, ...found].join("\n- "));
}

/** Fails with what is missing in a list and what is too much there, and with the way out. */
export function same(found: Iterable<string>, known: Iterable<string>, wayOut: string): void {
  const [is, was] = [new Set(found), new Set(known)];
  const [more, less] = [is.difference(was), was.difference(is)];
  const shown = [...[...more].map((one) => `+ ${one}`), ...[...less].map((one) => `- ${one}`)];
  assert.ok(shown.length === 0, `${wayOut}\n${shown.join("\n")}`);
}
