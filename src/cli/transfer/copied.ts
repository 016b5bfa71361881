import { statSync } from "node:fs";
import type { ChainSource } from "../../verify/shapes.ts";
import { NOBODY, type Walked, walkChain } from "../../verify/walk.ts";
import type { Outcome } from "../command/command.ts";
import { countedLong } from "../command/counted.ts";
import { REFUSED } from "../command/stop.ts";
import { faultOf, ownPins } from "../verify/pinned-keys.ts";
import { withProgress } from "../verify/progress.ts";

/** Walks the chain in a copy that was just made, with the keys that it names itself. */
export const walkCopy = (chain: ChainSource): Promise<Walked> =>
  walkChain(withProgress(chain), ownPins(chain.header, null), NOBODY);

/** The report about a copy. One whose chain is broken is kept, since it may be all there is. */
export function copyOutcome(file: string, walked: Walked, made: string): Outcome {
  const { entries, seals, state } = walked;
  const { last } = state;
  const bytes = statSync(file).size;
  const fault = faultOf(walked);
  const head = last && { seq: last.seq, seal_hash: last.seal_hash };
  const lines = [
    `${file}: ${made}, ${Math.ceil(bytes / 1024).toLocaleString("en")} KiB.`,
    `It has ${countedLong(entries, "entry")} and ${countedLong(seals, "seal")}${head ? `; the newest is ${head.seq}, ${head.seal_hash}` : ""}.`,
    fault ?? (last === null ? "There is no chain to verify yet." : "The chain verifies."),
    ...(fault === null ? [] : ["The copy was kept. Look at the disk, and at `cairn doctor`."]),
  ];
  return {
    text: lines.join("\n"),
    facts: { file, bytes, entries, seals, head, fault },
    exit_code: fault === null ? 0 : REFUSED,
  };
}
