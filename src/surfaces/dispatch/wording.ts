import type { Wording } from "../../platform/kernel/contract/errors.ts";
import type { BoundOperation } from "./registry.ts";

/** `{market.order}`: the name of an operation in a sentence. */
const NAMED = /\{([a-z0-9]+\.[A-Za-z0-9]+)\}/g;

/** Writes the operations that a sentence names as one surface calls them. */
export function wordingOf<O extends Pick<BoundOperation, "name">>(
  registry: readonly O[],
  nameOf: (operation: O) => string,
): Wording {
  const names = new Map(registry.map((operation) => [operation.name, nameOf(operation)]));
  return (sentence) =>
    sentence.includes("{")
      ? sentence.replace(NAMED, (whole, name: string) => names.get(name) ?? whole)
      : sentence;
}
