import * as z from "zod";
import { restartInboxes } from "../../inbox/backfill.ts";
import { newDatabase, privateLedger } from "../../main/storage/database.ts";
import { file, publicKey } from "../../operator/values.ts";
import { command } from "../command/command.ts";
import { counted } from "../command/counted.ts";
import { acceptClock } from "../command/settings.ts";
import { demandVerified, pinsFor, trustedIn } from "../verify/pinned-keys.ts";
import { openExport } from "./export-reader.ts";
import { fillDraft } from "./fill.ts";
import { rowMeter } from "./row-meter.ts";

export const importDatabase = command({
  name: "import",
  summary: "read an export into an empty database of either engine",
  about: `Reads an export into an empty database of either engine: everything keeps its number. Each line,
each leaf, seal and signature is checked first, and nothing of it is there before all is. Stop the
service that wrote the export, and take operator.key and signer-memory.json along.`,
  input: z.object({
    file: file.meta({ takes: "<file>" }),
    key: publicKey.optional().describe("pin the key of seal 1"),
    accept_clock: acceptClock,
  }),
  operands: ["file"],
  opens: "database",
  exits: {
    0: "done",
    1: "refused or failed",
    2: "wrong usage",
    5: "the file cannot be read or is damaged",
  },
  async run({ values: { file: named, key }, configuration }) {
    const source = await openExport(named);
    const trusted = trustedIn(configuration, key);
    const pins = pinsFor(source.header, trusted);
    const database = await newDatabase(configuration);
    const rows = source.header.tables.reduce((sum, table) => sum + table.rows, 0);
    const meter = rowMeter(rows);
    try {
      const walked = await fillDraft(database, source, pins, meter.report);
      demandVerified(walked, trusted);
      await privateLedger(database, configuration);
      await restartInboxes(database.tx);
      await database.publish();
      const { entries, seals, state } = walked;
      const text = `${meter.end()}. The chain verifies: ${counted(seals, "seal")}, ${counted(entries, "entry")}.`;
      const head = state.last && { seq: state.last.seq, seal_hash: state.last.seal_hash };
      return { text, facts: { file: named, rows, seals, entries, head } };
    } finally {
      meter.end();
      await database.discard();
    }
  },
});
