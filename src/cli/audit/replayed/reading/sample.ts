import { sha256 } from "../../../../platform/ledger/sha256.ts";

/** Objects of a network up to which all of them are read. */
const ALL_MAX = 10_000;
export const SAMPLE_DEFAULT = 2_000;

/** How much of a large network is looked at. */
export interface SampleOptions {
  /** Objects of each list; null for all of them. */
  readonly objects: number | null;
  /** What the drawn ones follow from, so that an audit can be repeated. */
  readonly seed: string;
}

/** Which objects of long lists are read: half of them the newest, half drawn. */
export function sampleOf({ objects, seed }: SampleOptions, total: number) {
  const most = objects === null || total <= ALL_MAX ? Number.POSITIVE_INFINITY : objects;
  let isDrawn = false;

  /** Some of so many places, rising; the last ones among them. */
  function places(name: string, n: number, wanted: number): number[] {
    if (n <= wanted) return Array.from({ length: n }, (_, i) => i);
    isDrawn = true;
    const chosen = new Set(Array.from({ length: Math.ceil(wanted / 2) }, (_, i) => n - 1 - i));
    for (let turn = 0; chosen.size < wanted; turn++) {
      const bytes = sha256(new TextEncoder().encode(`${seed} ${name} ${turn}`));
      chosen.add(new DataView(bytes.buffer, bytes.byteOffset).getUint32(0) % n);
    }
    return [...chosen].sort((a, b) => a - b);
  }

  return {
    /** Whether some objects were left out. */
    isDrawn: () => isDrawn,

    of: <T>(name: string, all: readonly T[]): readonly T[] =>
      places(name, all.length, most).flatMap((place) => all.slice(place, place + 1)),

    /** The ids before which pages begin, but the first one, of rising ids. */
    pages(ids: readonly number[], size: number): readonly number[] {
      const pages = Math.max(0, Math.ceil(ids.length / size) - 1);
      const wanted = Math.max(1, Math.ceil(most / size) - 1);
      return places(`pages of ${ids.length}`, pages, wanted).flatMap((page) => {
        const first = ids.length - (pages - page) * size;
        return ids.slice(first, first + 1);
      });
    },
  };
}

export type Sample = ReturnType<typeof sampleOf>;
