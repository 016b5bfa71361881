import { createHash } from "node:crypto";
import { refuseEndedExport } from "../../verify/ended.ts";
import { jsonOf } from "../../verify/transport.ts";
import { type Line, linesOf } from "../command/lines.ts";
import { Stop, UNREADABLE } from "../command/stop.ts";
import {
  type ExportHeader,
  type ExportRecord,
  exportHeader,
  exportRecord,
  isWhole,
} from "./export-records.ts";

type DataRecord = Exclude<ExportRecord, { type: "end" }>;

/** An export as it is read, each line after it was found unchanged. */
export interface ExportFile {
  readonly header: ExportHeader;
  /** Ends with a Stop when a line was changed, or when lines are missing, added or moved. */
  readonly records: AsyncIterable<DataRecord>;
}

/** Opens an export. A Stop when it is none, or when its first line was changed. */
export async function openExport(path: string): Promise<ExportFile> {
  const lines = linesOf(path);
  const first = await lines.next();
  if (first.done) throw new Stop(UNREADABLE, `${path} is empty.`);
  const begin = jsonOf(first.value.text);
  refuseEndedExport(path, begin);
  const { data: header } = exportHeader.safeParse(begin);
  if (header === undefined) {
    throw new Stop(UNREADABLE, `${path} is no export: \`cairn export\` makes one.`);
  }
  demandWhole(first.value);
  return { header, records: recordsOf(path, first.value, lines) };
}

async function* recordsOf(
  path: string,
  first: Line,
  lines: AsyncIterable<Line>,
): AsyncGenerator<DataRecord> {
  const hash = createHash("sha256").update(`${first.text}\n`);
  let count = 1;
  let isEnded = false;
  for await (const line of lines) {
    demandWhole(line);
    if (isEnded) throw new Stop(UNREADABLE, `${line.name}: There is something behind the end.`);
    const { data: record } = exportRecord.safeParse(jsonOf(line.text));
    if (record === undefined) {
      throw new Stop(UNREADABLE, `${line.name}: This is no line of an export.`);
    }
    if (record.type === "end") {
      isEnded = true;
      if (record.lines === count && record.sha256 === hash.digest("hex")) continue;
      throw new Stop(UNREADABLE, `${path}: Lines are missing, were added, or were moved.`);
    }
    yield record;
    hash.update(`${line.text}\n`);
    count++;
  }
  if (!isEnded) throw new Stop(UNREADABLE, `${path} was cut off: its last line is missing.`);
}

function demandWhole({ text, name }: Line): void {
  if (!isWhole(text)) throw new Stop(UNREADABLE, `${name}: This line was changed.`);
}
