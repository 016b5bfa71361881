import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import * as z from "zod";
import { file } from "../../domains/operator/values.ts";
import type { Configuration } from "../../main/settings/settings.ts";
import { beginFile } from "../../main/storage/atomic-file.ts";
import { openSnapshot } from "../../main/storage/database.ts";
import type { Snapshot } from "../../platform/db/table-copy.ts";
import { fileChain } from "../../verify/file.ts";
import { command, type Outcome } from "../command/command.ts";
import { copyOutcome, walkCopy } from "./copied.ts";
import { exportText, headerOf } from "./export-writer.ts";
import { rowMeter } from "./row-meter.ts";

export const exportDatabase = command({
  name: "export",
  summary: "write the whole database as text",
  about: `Writes the whole database as text, one JSON object a line, while the service runs: what
\`cairn import\` reads into another database, of either engine. A name that ends in .gz is
compressed. \`cairn verify <file>\` checks the chain in it. It holds what is not public, too, such
as hashes of tokens: only its owner can read it.`,
  input: z.object({ file: file.meta({ takes: "<file>" }) }),
  operands: ["file"],
  opens: "database",
  exits: { 0: "done", 1: "refused or failed", 2: "wrong usage" },
  run: ({ values, configuration }) => exportTo(values.file, configuration),
});

/** Exports the database of a service to a file. */
export async function exportTo(named: string, configuration: Configuration): Promise<Outcome> {
  const snapshot = await openSnapshot(configuration);
  try {
    return await writeExport(snapshot, named);
  } finally {
    await snapshot.close();
  }
}

/** Writes an export to a file that is not there yet, whole or not at all, and walks its chain. */
export async function writeExport(snapshot: Snapshot, file: string): Promise<Outcome> {
  const place = beginFile(file);
  try {
    const header = await headerOf(snapshot);
    const meter = rowMeter(header.tables.reduce((sum, { rows }) => sum + rows, 0));
    const text = exportText(snapshot, header, meter.report);
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
