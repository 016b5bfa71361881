import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { Snapshot } from "../db/table-copy.ts";
import { openSnapshot } from "../main/database.ts";
import { placeFor } from "../main/place.ts";
import { fileChain } from "./chain-file.ts";
import { type Given, type Outcome, onlyFile, runCommand, SETTINGS_HELP } from "./command.ts";
import { copyOutcome, walkCopy } from "./copied.ts";
import { exportText, headerOf } from "./export-writer.ts";
import { rowMeter } from "./progress.ts";

const HELP = `usage: cairn export <file> [options]

Writes the whole database as text, one JSON object a line, while the service runs: what
\`cairn import\` reads into another database, of either engine. A name that ends in .gz is
compressed. \`cairn verify <file>\` checks the chain in it. It holds what is not public, too, such
as hashes of tokens: only its owner can read it.

${SETTINGS_HELP}

exit codes: 0 done, 1 refused or failed, 2 wrong usage`;

/** `cairn export`: resolves to its exit code. */
export const exportDatabase = (args: readonly string[]): Promise<number> =>
  runCommand(args, { help: HELP, texts: [], switches: [], run });

async function run(given: Given): Promise<Outcome> {
  const file = onlyFile(given);
  const snapshot = await openSnapshot(given.configuration);
  try {
    return await writeExport(snapshot, file);
  } finally {
    await snapshot.close();
  }
}

/** Writes an export to a file that is not there yet, whole or not at all, and walks its chain. */
export async function writeExport(snapshot: Snapshot, file: string): Promise<Outcome> {
  const place = placeFor(file);
  try {
    const header = await headerOf(snapshot);
    const meter = rowMeter(header.tables.reduce((sum, { rows }) => sum + rows, 0));
    const text = exportText(snapshot, header, meter.tell);
    const stream = createWriteStream(place.unfinished);
    if (file.endsWith(".gz")) await pipeline(text, createGzip(), stream);
    else await pipeline(text, stream);
    const made = meter.end();
    const walked = await walkCopy(await fileChain(place.unfinished));
    place.publish();
    return copyOutcome(file, walked, made);
  } finally {
    place.discard();
  }
}
