import { SingleBar } from "cli-progress";
import type { ChainRecord, ChainSource } from "../../verify/shapes.ts";

/** The same chain, with a bar on a terminal's standard error while it is read. */
export const withProgress = (source: ChainSource): ChainSource =>
  process.stderr.isTTY ? { ...source, records: shown(source) } : source;

async function* shown({ header, records }: ChainSource): AsyncGenerator<ChainRecord> {
  const bar = new SingleBar({
    format: "[{bar}] seal {value} of {total}, {eta_formatted} left",
    clearOnComplete: true,
    hideCursor: true,
  });
  bar.start(header.head?.seq ?? 0, 0);
  try {
    for await (const record of records) {
      if (record.type === "seal") bar.update(record.seq);
      yield record;
    }
  } finally {
    bar.stop();
  }
}
