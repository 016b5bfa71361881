import { newDatabase, privateLedger } from "../main/database.ts";
import { type Given, type Outcome, onlyFile, runCommand, SETTINGS_HELP } from "./command.ts";
import { openExport } from "./export-reader.ts";
import { fillDraft } from "./fill.ts";
import { demandVerified, pinsFor, trustedIn } from "./pins.ts";
import { rowMeter } from "./progress.ts";

const HELP = `usage: cairn import <file> [options]

Reads an export into an empty database of either engine: everything keeps its number. Each line,
each leaf, seal and signature is checked first, and nothing of it is there before all is. Stop the
service that wrote the export, and take operator.key and signer-memory.json along.

  --key HEX        pin the key of seal 1
  --accept-clock   the clock is right, although the last entry is over 400 days old
${SETTINGS_HELP}

exit codes: 0 done, 1 refused or failed, 2 wrong usage, 5 the file cannot be read or is damaged`;

/** \`cairn import\`: resolves to its exit code. */
export const importDatabase = (args: readonly string[]): Promise<number> =>
  runCommand(args, { help: HELP, texts: ["key"], switches: ["accept-clock"], run });

async function run(given: Given): Promise<Outcome> {
  const { configuration } = given;
  const file = onlyFile(given);
  const source = await openExport(file);
  const trusted = trustedIn(configuration, given.text("key"));
  const pins = pinsFor(source.header, trusted);
  const database = await newDatabase(configuration);
  const rows = source.header.tables.reduce((sum, table) => sum + table.rows, 0);
  const meter = rowMeter(rows);
  try {
    const walked = await fillDraft(database, source, pins, meter.tell);
    demandVerified(walked, trusted);
    await privateLedger(database, configuration);
    await database.publish();
    const { entries, seals, state } = walked;
    const text = `${meter.end()}. The chain verifies: ${seals} seals, ${entries} entries.`;
    const head = state.last && { seq: state.last.seq, seal_hash: state.last.seal_hash };
    return { text, facts: { file, rows, seals, entries, head }, exit_code: 0 };
  } finally {
    meter.end();
    await database.discard();
  }
}
