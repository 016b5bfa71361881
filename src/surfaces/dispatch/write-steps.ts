import type { Store } from "../../platform/db/engine.ts";

/** Takes bodies of every kind; that a grouped one does not read is seen to where handlers write. */
export type AnyWrite = Store["write"];

/** One thing that is done around a write: it takes the write that its own makes. */
export type WriteStep = (next: AnyWrite) => AnyWrite;

/** A write by these steps, in their order from its body to the storage; null is none. */
export function stepping(write: AnyWrite, ...steps: readonly (WriteStep | null)[]): AnyWrite {
  return steps.reduceRight((inner, step) => (step === null ? inner : step(inner)), write);
}
