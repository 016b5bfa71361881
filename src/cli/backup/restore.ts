import { resolve } from "node:path";
import * as z from "zod";
import { restoreMarket } from "../../domains/market/orders/restored.ts";
import { restoreBoxes } from "../../domains/messages/restored.ts";
import { file, onOrOff, publicKey, value, whole } from "../../domains/operator/values.ts";
import {
  demandNoKeys,
  markRehearsal,
  noteRehearsal,
  type Rehearsal,
  unmarkRehearsal,
} from "../../main/service/rehearsal.ts";
import { rehearsed } from "../../main/settings/rehearsed.ts";
import type { Configuration } from "../../main/settings/settings.ts";
import { privateLedger } from "../../main/storage/database.ts";
import type { Walked } from "../../verify/walk.ts";
import { command, type Outcome } from "../command/command.ts";
import { counted } from "../command/counted.ts";
import { acceptClock } from "../command/settings.ts";
import { messageOf } from "../command/stop.ts";
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
  confirms: ({ rehearse }) =>
    rehearse === true
      ? null
      : "A restore replaces what the service has, and admits in public what is lost.",
  input: z
    .object({
      file: file.meta({ takes: "<backup>" }),
      rehearse: onOrOff.describe(
        "only try it, in a folder of its own: a service there answers reads on\nloopback, signs nothing and changes nothing",
      ),
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
    })
    .refine(
      ({ rehearse, epoch, without_key }) => !rehearse || (epoch === undefined && !without_key),
      {
        error: "A rehearsal admits no loss: leave out --epoch and --without-key.",
      },
    ),
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
    if (values.rehearse) return rehearse(values.file, configuration, values.key);
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
      unmarkRehearsal(configuration.dataDir);
      await database.publish();
      return outcomeOf(backup, walked, { loss, market });
    } finally {
      await database.discard();
    }
  },
});

/** Brings a backup back in a folder that is marked before its database is there. No loss is admitted. */
async function rehearse(
  backup: string,
  configuration: Configuration,
  genesisKey: string | undefined,
): Promise<Outcome> {
  const { dataDir } = configuration;
  rehearsed(configuration);
  demandNoKeys(dataDir);
  const own = { ...configuration, signingKeyFile: null };
  const { database, walked, trusted } = await restoredFrom(backup, own, genesisKey);
  try {
    demandVerified(walked, trusted);
    await privateLedger(database, own);
    await database.end();
    const rehearsal = { at: Math.floor(Date.now() / 1_000), file: resolve(backup) };
    markRehearsal(dataDir, rehearsal);
    await database.publish();
    noteBesideBackup(rehearsal);
    return rehearsalOutcome(rehearsal, walked, dataDir);
  } finally {
    await database.discard();
  }
}

/** For `cairn doctor` of the service; a folder that takes no file does not undo the rehearsal. */
function noteBesideBackup(rehearsal: Rehearsal): void {
  try {
    noteRehearsal(rehearsal);
  } catch (error) {
    console.error(`The rehearsal was made, but last-rehearsal.json was not: ${messageOf(error)}`);
  }
}

function rehearsalOutcome(
  { file, at }: Rehearsal,
  { entries, seals, state }: Walked,
  dataDir: string,
): Outcome {
  const lines = [
    `${file} can be restored: ${counted(entries, "entry")}, ${counted(seals, "seal")}. Its chain verifies.`,
    `The rehearsal is in ${dataDir}: a service there reads only, and signs nothing.`,
    `Start it with --data-dir ${dataDir} and a free --port. Delete the folder afterwards.`,
  ];
  const { last } = state;
  const head = last && { seq: last.seq, seal_hash: last.seal_hash };
  return {
    text: lines.join("\n"),
    facts: { file, entries, seals, head, rehearsal: { at, data_dir: dataDir } },
  };
}

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
