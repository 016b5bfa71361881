import { type Bench, type Figure, spread } from "./figure.ts";
import { dataFolder, fill } from "./fill.ts";
import { startCairn } from "./processes.ts";

const ENTRIES = 100_000;
/** Slow machines need 0.8 to 1.2 s. */
const FIRST_ANSWER_MAX_S = 1.5;

/** From the start of the process to its first answer, on a new folder and on a used one. */
export async function starting({ rounds }: Bench): Promise<Figure[]> {
  const { dataDir } = await fill(ENTRIES);
  return [
    await firstAnswer("an empty folder", rounds, dataFolder),
    await firstAnswer(`${ENTRIES.toLocaleString("en")} entries`, rounds, () => dataDir),
  ];
}

async function firstAnswer(on: string, rounds: number, folder: () => string): Promise<Figure> {
  const seconds: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const cairn = await startCairn(folder());
    seconds.push(cairn.started_ms / 1_000);
    await cairn.stop();
  }
  return {
    name: `start to first answer, ${on}`,
    unit: "s",
    ...spread(seconds),
    bound: "at most",
    limit: FIRST_ANSWER_MAX_S,
  };
}
