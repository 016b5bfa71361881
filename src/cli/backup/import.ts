import * as z from "zod";
import { restartInboxes } from "../../domains/inbox/backfill.ts";
import { file, onOrOff, publicKey } from "../../domains/operator/values.ts";
import { newDatabase, privateLedger } from "../../main/storage/database.ts";
import type { Pins } from "../../verify/walk.ts";
import { auditOf } from "../audit/audit.ts";
import { isEqual } from "../audit/figures.ts";
import { totalOf } from "../audit/text-report.ts";
import { command } from "../command/command.ts";
import { counted } from "../command/counted.ts";
import { acceptClock } from "../command/settings.ts";
import { REFUSED, Stop } from "../command/stop.ts";
import { openExport } from "../transfer/export-reader.ts";
import { fillDraft } from "../transfer/fill.ts";
import { rowMeter } from "../transfer/row-meter.ts";
import { demandVerified, pinsFor, trustedIn } from "../verify/pinned-keys.ts";

export const importDatabase = command({
  name: "import",
  summary: "read an export into an empty database of either engine",
  about: `Reads an export into an empty database of either engine: everything keeps its number. Each line,
each leaf, seal and signature is checked first, and the rows are compared with what the entries make
of them, as \`cairn audit\` does. Nothing is there before all is. No entry contains tokens, messages and
what is private: these are taken from the file as they are, so take it from nobody else. Stop the
service that wrote the export, and take operator.key and signer-memory.json along.`,
  input: z.object({
    file: file.meta({ takes: "<file>" }),
    key: publicKey.optional().describe("pin the key of seal 1"),
    unaudited: onOrOff.describe("do not compare the rows with the entries"),
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
  async run({ values: { file: named, key, unaudited }, configuration }) {
    const source = await openExport(named);
    const trusted = trustedIn(configuration, key);
    const pins = pinsFor(source.header, trusted);
    const database = await newDatabase(configuration);
    const rows = source.header.tables.reduce((sum, table) => sum + table.rows, 0);
    const meter = rowMeter(rows);
    try {
      const walked = await fillDraft(database, source, pins, meter.report);
      demandVerified(walked, trusted);
      const compared = unaudited ? null : await demandEqual(named, pins);
      await privateLedger(database, configuration);
      await restartInboxes(database.tx);
      await database.publish();
      const { entries, seals, state } = walked;
      const size = `${counted(seals, "seal")}, ${counted(entries, "entry")}`;
      const chain = seals === 0 ? "There is no chain to verify" : "The chain verifies";
      const text = `${meter.end()}. ${chain}: ${size}. ${comparedText(compared)}`;
      const head = state.last && { seq: state.last.seq, seal_hash: state.last.seal_hash };
      return { text, facts: { file: named, rows, seals, entries, head, compared } };
    } finally {
      meter.end();
      await database.discard();
    }
  },
});

const comparedText = (compared: number | null): string =>
  compared === null
    ? "The rows were not compared with it."
    : `The rows are what it makes them: ${compared.toLocaleString("en")} figures are equal.`;

/** Differences that a refusal names. */
const NAMED_MAX = 5;

/**
 * Compares the rows of an export with its own entries. Resolves to the number of figures; null where no
 * seal is signed, so that nothing is proven. A Stop when one differs.
 */
async function demandEqual(path: string, { keys }: Pins): Promise<number | null> {
  const options = { from: { kind: "file", address: path }, depth: "entries", state: null } as const;
  const service = { objects: null, seed: "", token: undefined };
  const { verified, groups, breaches, exit_code } = await auditOf({ ...options, keys }, service);
  if (verified.exit_code !== 0) return null;
  const compared = totalOf(groups, "compared");
  if (exit_code === 0) return compared;
  const unequal = groups.flatMap(({ name, figures }) =>
    figures.filter((figure) => !isEqual(figure)).map((figure) => `${name} ${figure.name}`),
  );
  const broken = breaches.map(({ ledger_id, rule }) => `entry ${ledger_id} (${rule})`);
  const named = [...unequal, ...broken].slice(0, NAMED_MAX).join(", ");
  throw new Stop(
    REFUSED,
    `The rows of ${path} are not what its entries make them, such as ${named}. Nothing was imported. \`cairn audit\` names all; --unaudited takes the rows as they are.`,
  );
}
