/** The offered proof proves nothing. The message names the rule that it breaks. */
export class Unproven extends Error {
  override readonly name = "Unproven";
}

/** Ends a verification with `reason` unless `fact` holds. */
export function demand(fact: unknown, reason: string): asserts fact {
  if (!fact) throw new Unproven(reason);
}

/** The reason for which `verification` ends early, or null when it does not. */
export function faultOf(verification: () => void): string | null {
  try {
    verification();
    return null;
  } catch (error) {
    if (error instanceof Unproven) return error.message;
    throw error;
  }
}
