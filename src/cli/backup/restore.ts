import * as z from "zod";
import { restoreMarket } from "../../market/orders/restored.ts";
import { restoreBoxes } from "../../messages/restored.ts";
import { file, onOrOff, publicKey, value, whole } from "../../operator/values.ts";
import type { Walked } from "../../verify/walk.ts";
import { command, type Outcome } from "../command/command.ts";
import { counted } from "../command/counted.ts";
import { acceptClock } from "../command/settings.ts";
import { demandVerified } from "../verify/pinned-keys.ts";
import { admitLoss, type Loss } from "./restore-loss.ts";
import { restoredFrom } from "./restore-source.ts";

const REASON = "A backup was restored. Later writes may be lost.";
const PAY_LATER =
  "Before you send any money, run `cairn market due`: it marks what you have sent since the backup. `cairn market due --record` books that.";
const REASON_LENGTH_MAX = 2_000;
const EPOCH_MAX = 999_999;

const reason = value("TEXT", `1 to ${REASON_LENGTH_MAX} characters`, (text) =>
  text !== "" && text.length <= REASON_LENGTH_MAX && text.isWellFormed() ? text : undefined,
);

export const restore = command({
  name: "restore",
  summary: "bring a backup back, and admit in the ledger what it lacks",
  about: `Brings a backup back where no database is. Its chain is verified first, and nothing is there
before everything is. Unless signer-memory.json on this machine proves that the backup has every
signed seal, the ledger admits the loss: an entry \`ledger_restored\`, under a seal whose origin
ends in a new number. Run it on the machine that has the operator's key, with the service stopped.`,
  confirms: () => "A restore replaces what the service has, and admits in public what is lost.",
  input: z.object({
    file: file.meta({ takes: "<backup>" }),
    reason: reason.default(REASON).describe("a public sentence about what happened"),
    epoch: whole("N", 2, EPOCH_MAX)
      .optional()
      .describe(
        "begin epoch N or a later one in any case: for a loss that this machine does\nnot know of, or after another restore that it does not know of",
      ),
    without_key: onOrOff.describe(
      "the operator's key is lost: seals stay unsigned until the key is rotated",
    ),
    key: publicKey.optional().describe("pin the key of seal 1"),
    accept_clock: acceptClock,
  }),
  operands: ["file"],
  opens: "database",
  changes: () => true,
  exits: {
    0: "done",
    1: "refused or failed",
    2: "wrong usage",
    5: "the file cannot be read or is damaged",
  },
  async run({ values, configuration }) {
    const { file: backup, reason: why, epoch: epochMin = null, without_key: keyIsLost } = values;
    const { database, walked, trusted } = await restoredFrom(backup, configuration, values.key);
    try {
      demandVerified(walked, trusted);
      const loss = await admitLoss(database, configuration, trusted, {
        reason: why,
        epochMin,
        keyIsLost,
      });
      await restoreBoxes(database.tx, loss?.epoch ?? 1);
      await database.end();
      const market = (await restoreMarket(database.tx)) ? "has_orders" : "none";
      await database.publish();
      return outcomeOf(backup, walked, { loss, market });
    } finally {
      await database.discard();
    }
  },
});

interface After {
  readonly loss: Loss | null;
  readonly market: "has_orders" | "none";
}

function outcomeOf(
  file: string,
  { entries, seals, state }: Walked,
  { loss, market }: After,
): Outcome {
  const lines = [
    `${file} is restored: ${counted(entries, "entry")}, ${counted(seals, "seal")}. Its chain verifies.`,
    loss === null
      ? "The signer's memory proves that no signed seal is lost, so the ledger goes on as it was."
      : `The ledger says that what came after entry ${loss.lost_after_id} and seal ${loss.lost_after_seq} may be lost. Its origin line is ${loss.origin} from now on.`,
    "Start the service.",
    ...(market === "none" ? [] : [PAY_LATER]),
  ];
  const { last } = state;
  const head = last && { seq: last.seq, seal_hash: last.seal_hash };
  return { text: lines.join("\n"), facts: { file, entries, seals, head, loss } };
}
