import type { Tools } from "./processes.ts";

/** One measured figure, and what it must be. */
export interface Figure {
  readonly name: string;
  readonly unit: "×" | "s" | "B" | "MB" | "% of a core";
  /** The median of the rounds. */
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly bound: "at least" | "at most";
  readonly limit: number;
  /** The two sides of a ratio, each the median of the rounds. */
  readonly sides?: string;
}

export const isMet = ({ value, bound, limit }: Figure): boolean =>
  bound === "at least" ? value >= limit : value <= limit;

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const low = sorted[(sorted.length - 1) >> 1];
  const high = sorted[sorted.length >> 1];
  return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2;
}

/** The middle of what was seen, and how far it reached. */
export const spread = (values: readonly number[]) => ({
  value: median(values),
  min: Math.min(...values),
  max: Math.max(...values),
});

type Measure = () => Promise<number>;

/**
 * Measures two sides in turns, so that a noisy machine disturbs both alike. The ratio is taken
 * within each round.
 */
export async function compare(rounds: number, sides: { ours: Measure; other: Measure }) {
  const ours: number[] = [];
  const other: number[] = [];
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 0) other.push(await sides.other());
    ours.push(await sides.ours());
    if (round % 2 === 1) other.push(await sides.other());
  }
  const ratios = ours.map((value, round) => value / (other[round] ?? Number.NaN));
  return { ratio: spread(ratios), ours: median(ours), other: median(other) };
}

/** What a case is given. */
export interface Bench extends Pick<Tools, "load" | "bare"> {
  /** How often each side of a ratio is measured. */
  readonly rounds: number;
  /** How long each measurement takes. */
  readonly duration_ms: number;
  /** Entries of the ledger that counts as a large one. */
  readonly entries_max: number;
  /** Where filled ledgers stay for the next run; null for nowhere. */
  readonly kept: string | null;
}

/** A server's port, and what it is asked. */
export interface Side {
  readonly port: number;
  readonly requests: readonly string[];
}

/** A load that uses more of its core than this measures itself. */
const LOAD_BUSY_MAX = 0.95;

/** The rate of answers of one server by that of another, which must be `limit` at least. */
export async function rateFigure(
  bench: Bench,
  { name, limit }: Pick<Figure, "name" | "limit">,
  ours: Side,
  against: Side,
): Promise<Figure> {
  const latencies = new Map<Side, number[]>([ours, against].map((side) => [side, []]));
  const rateOf = (side: Side) => async () => {
    const { per_s, busy, p99_ms } = await bench.load({ ...side, duration_ms: bench.duration_ms });
    if (busy > LOAD_BUSY_MAX) console.error(`${name}: the load itself was the bottleneck.`);
    latencies.get(side)?.push(p99_ms);
    return per_s;
  };
  const rates = await compare(bench.rounds, { ours: rateOf(ours), other: rateOf(against) });
  const p99s = [ours, against].map((side) => median(latencies.get(side) ?? []).toFixed(1));
  const sides = `${Math.round(rates.ours)} / ${Math.round(rates.other)} per s, p99 ${p99s.join(" / ")} ms`;
  return { name, unit: "×", ...rates.ratio, bound: "at least", limit, sides };
}

const MEMORY_MAX_MB = 250;

/** Resident memory of a service that has worked. */
export const memoryFigure = (name: string, memory_mb: number): Figure => ({
  name: `resident memory, ${name}`,
  unit: "MB",
  ...spread([memory_mb]),
  bound: "at most",
  limit: MEMORY_MAX_MB,
});
