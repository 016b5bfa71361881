/** Something offered as proof proves nothing. The message says which rule it breaks. */
export class Unproven extends Error {
  override readonly name = "Unproven";
}

/** Ends a verification with `reason` unless `fact` holds. */
export function demand(fact: unknown, reason: string): asserts fact {
  if (!fact) throw new Unproven(reason);
}
