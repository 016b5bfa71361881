import { restoreMarket } from "../market/restored.ts";
import type { Walked } from "./chain-walk.ts";
import { type Given, type Outcome, onlyFile, runCommand, SETTINGS_HELP } from "./command.ts";
import { demandVerified, trustedIn } from "./pins.ts";
import { admitLoss, type Loss, type Wish } from "./restore-loss.ts";
import { restoredFrom } from "./restore-source.ts";
import { Stop, USAGE } from "./stop.ts";

const HELP = `usage: cairn restore <backup> [options]

Brings a backup back where no database is. Its chain is verified first, and nothing is there
before everything is. Unless signer-memory.json on this machine proves that the backup has every
signed seal, the ledger admits the loss: an entry \`ledger_restored\`, under a seal whose origin
ends in a new number. Run it on the machine that has the operator's key, with the service stopped.

  --reason TEXT    a public sentence about what happened
  --epoch N        begin epoch N or a later one in any case: for a loss that this machine does
                   not know of, or after another restore that it does not know of
  --without-key    the operator's key is lost: seals stay unsigned until the key is rotated
  --key HEX        pin the key of seal 1
  --accept-clock   the clock is right, although the last entry is over 400 days old
${SETTINGS_HELP}

exit codes: 0 done, 1 refused or failed, 2 wrong usage, 5 the file cannot be read or is damaged`;

const REASON = "A backup was restored. What was written after it may be lost.";
const PAY_LATER =
  "Before you send any money, run `cairn market due`: it marks what you have sent since the backup. `cairn market due --record` books that.";
const REASON_LENGTH_MAX = 2_000;
const EPOCH_MAX = 999_999;

/** `cairn restore`: resolves to its exit code. */
export const restore = (args: readonly string[]): Promise<number> =>
  runCommand(args, {
    help: HELP,
    texts: ["reason", "epoch", "key"],
    switches: ["without-key", "accept-clock"],
    run,
  });

async function run(given: Given): Promise<Outcome> {
  const { configuration } = given;
  const file = onlyFile(given);
  const wish = wishIn(given);
  const trusted = trustedIn(configuration, given.text("key"));
  const { database, walked } = await restoredFrom(file, configuration, trusted);
  try {
    demandVerified(walked, trusted);
    const loss = await admitLoss(database, configuration, trusted, wish);
    const market = (await restoreMarket(database.tx)) ? "has_orders" : "none";
    await database.publish();
    return outcomeOf(file, walked, { loss, market });
  } finally {
    await database.discard();
  }
}

function wishIn(given: Given): Wish {
  const reason = given.text("reason") ?? REASON;
  if (reason === "" || reason.length > REASON_LENGTH_MAX || !reason.isWellFormed()) {
    throw new Stop(USAGE, `A --reason has 1 to ${REASON_LENGTH_MAX} characters.`);
  }
  const epoch = given.text("epoch") ?? null;
  const isNumber = epoch === null || /^[1-9][0-9]{0,5}$/.test(epoch);
  if (!isNumber || epoch === "1") throw new Stop(USAGE, `An --epoch is 2 to ${EPOCH_MAX}.`);
  const epochMin = epoch === null ? null : Number(epoch);
  return { reason, epochMin, keyIsLost: given.isSet("without-key") };
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
    `${file} is restored: ${entries} entries, ${seals} seals. Its chain verifies.`,
    loss === null
      ? "The signer's memory proves that no signed seal is lost, so the ledger goes on as it was."
      : `The ledger says that what came after entry ${loss.lost_after_id} and seal ${loss.lost_after_seq} may be lost. Its origin line is ${loss.origin} from now on.`,
    "Start the service.",
    ...(market === "none" ? [] : [PAY_LATER]),
  ];
  const { last } = state;
  const head = last && { seq: last.seq, seal_hash: last.seal_hash };
  return { text: lines.join("\n"), facts: { file, entries, seals, head, loss }, exit_code: 0 };
}
