/**
 * Small pieces of work until others have their turn: about 3 ms on a machine of 2024. A piece hashes one small
 * folder, or reads a few rows.
 */
const SLICE_PIECES = 400;

/** Counts pieces of work; resolves in a later turn of the event loop when a slice is over. */
export type Step = (pieces?: number) => Promise<void> | undefined;

/** For one long piece of work: `await step()` between its parts, so that requests are answered meanwhile. */
export function slices(): Step {
  let done = 0;
  return (pieces = 1) => {
    done += pieces;
    if (done < SLICE_PIECES) return;
    done = 0;
    return new Promise((resolve) => setImmediate(resolve));
  };
}

/** Inside of a transaction, which may await nothing else. */
export const unsliced: Step = () => undefined;
