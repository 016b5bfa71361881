/**
 * Milliseconds of the fastest of some calls: the one that other processes have disturbed least. Compare it with that
 * of other work that takes as long, so that a busy machine disturbs both as much.
 */
export function leastTime_ms(call: () => unknown, calls = 9): number {
  const took = Array.from({ length: calls }, () => {
    const began_ms = performance.now();
    call();
    return performance.now() - began_ms;
  });
  return Math.min(...took);
}

/** How many times as long a text takes in one as in `parts` equal parts: about 1 where the time grows with its length. */
export function inOneOverInParts(look: (text: string) => unknown, part: string, parts: number) {
  const inOne = part.repeat(parts);
  look(part);
  const one_ms = leastTime_ms(() => look(inOne));
  const parts_ms = leastTime_ms(() => {
    for (let i = 0; i < parts; i++) look(part);
  });
  return one_ms / parts_ms;
}
