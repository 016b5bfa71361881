import { seededRandom } from "./service.ts";

/** Whole numbers below a bound, the same ones for the same seed. */
export function dice(seed: string): (sides: number) => number {
  const random = seededRandom(seed);
  return (sides) => Buffer.from(random(4)).readUInt32BE() % sides;
}
