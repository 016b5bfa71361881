import { DAY_S, HOUR_S, MINUTE_S, type Seconds } from "../../platform/kernel/time.ts";

export type Figure = `cairn_${string}`;

/** What a condition reads: figures by name, without labels; undefined where a service has none of it. */
export interface Known {
  /** The figure, or the largest of those with labels. */
  readonly value: (figure: Figure) => number | undefined;
  /** Requests of the last 5 minutes that ended with a fault of the program; 0 where no service runs. */
  readonly failed: () => number;
  readonly now: Seconds;
}

/** The same question in both languages: Prometheus asks in PromQL, the service and `cairn doctor` ask `wrong`. */
export interface Test {
  readonly promql: string;
  /** The value that is wrong, or null; null also where a figure is not known. */
  readonly wrong: (known: Known) => number | null;
}

/** A number, or a figure that tells one, such as a setting. */
type Limit = number | Figure;

const compared =
  (sign: ">" | "<" | "==", isWrong: (value: number, limit: number) => boolean) =>
  (figure: Figure, limit: Limit): Test => ({
    promql: `${figure} ${sign} ${limit}`,
    wrong({ value }) {
      const found = value(figure);
      const bound = typeof limit === "number" ? limit : value(limit);
      if (found === undefined || bound === undefined) return null;
      return isWrong(found, bound) ? found : null;
    },
  });

export const above = compared(">", (value, limit) => value > limit);
export const below = compared("<", (value, limit) => value < limit);
export const equal = compared("==", (value, limit) => value === limit);

/** How the value of a condition is shown: by Prometheus, and by the service itself. */
const UNITS = {
  number: ["{{ $value }}", (value: number) => String(Math.floor(value))],
  age: ["{{ $value | humanizeDuration }}", ageOf],
  bytes: [
    "{{ $value | humanize1024 }}B",
    (value: number) => `${Math.floor(value / 1_048_576).toLocaleString("en")} MiB`,
  ],
} as const;

function ageOf(age_s: number): string {
  if (age_s < 2 * HOUR_S) return `${Math.floor(age_s / MINUTE_S)} minutes`;
  return age_s < 2 * DAY_S
    ? `${Math.floor(age_s / HOUR_S)} hours`
    : `${(age_s / DAY_S).toFixed(1)} days`;
}

/** Something that needs a person, told everywhere by this record: Prometheus, notices, console, doctor and pages. */
export interface Condition {
  readonly alert: `Cairn${string}`;
  /** What it is about, in one word for the lines of `cairn doctor`. */
  readonly about: string;
  readonly test: Test;
  /** For how long it has to be so. An age that is measured needs no such time. */
  readonly for_s: Seconds;
  /** `page` wakes somebody, `ticket` can wait for the morning. */
  readonly severity: "page" | "ticket";
  /** When it is raised: a cell of a table. */
  readonly meaning: string;
  readonly unit: keyof typeof UNITS;
  readonly sentence: (value: string) => string;
  /** What to do, in one sentence; all of it has the page. */
  readonly advice: string;
  /** A heading of docs/operating/troubleshoot.md. */
  readonly runbook: string;
}

export const sentenceOf = ({ sentence, unit }: Condition, value: number): string =>
  sentence(UNITS[unit][1](value));

/** The sentence for Prometheus, which puts in the value itself. */
export const summaryOf = ({ sentence, unit }: Condition): string => sentence(UNITS[unit][0]);

export const runbookOf = ({ runbook }: Pick<Condition, "runbook">): string =>
  `docs/operating/troubleshoot.md#${runbook}`;
