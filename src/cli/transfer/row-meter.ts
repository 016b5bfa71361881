import { SingleBar } from "cli-progress";

/** Hears of rows that were read or written, and shows them on a terminal's standard error. */
export interface RowMeter {
  report(rows: number): void;
  /** Takes the bar away; a sentence about how many there were, and how fast. */
  end(): string;
}

/** Counts up to about `total` rows. */
export function rowMeter(total: number): RowMeter {
  const begin = performance.now();
  const bar = process.stderr.isTTY ? rowBar(total) : null;
  let count = 0;
  const perSecond = () => Math.round((count * 1_000) / Math.max(1, performance.now() - begin));
  return {
    report(rows) {
      count += rows;
      bar?.update(count, { rate: perSecond().toLocaleString("en") });
    },
    end() {
      bar?.stop();
      const s = (performance.now() - begin) / 1_000;
      return `${count.toLocaleString("en")} rows in ${s.toFixed(1)} s, ${perSecond().toLocaleString("en")} a second`;
    },
  };
}

function rowBar(total: number): SingleBar {
  const format = "[{bar}] {value} of {total} rows, {rate} a second, {eta_formatted} left";
  const bar = new SingleBar({ format, clearOnComplete: true, hideCursor: true });
  bar.start(total, 0, { rate: "-" });
  return bar;
}
