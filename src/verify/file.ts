import { refuseEndedExport, refuseEndedRecord } from "./ended.ts";
import { blocksOf, writeWhole } from "./platform.ts";
import { type ChainRecord, type ChainSource, isHeader, isOpen, isRecord } from "./shapes.ts";
import { Stop, UNREADABLE, USAGE } from "./stop.ts";
import { jsonOf } from "./transport.ts";

/** Characters of one line; the largest entry or row is far below. */
const LINE_MAX = 8 * 1024 * 1024;

/** Lines that follow each other. */
interface Lines {
  readonly texts: readonly string[];
  /** How many were before them. */
  readonly before: number;
}

/**
 * The lines of a file, a block of the file at a time. They end with a line feed only: texts may
 * hold U+2028. A Stop when it cannot be read, or when a line is too long.
 */
export async function* linesOf(path: string): AsyncGenerator<Lines> {
  let before = 0;
  let rest: string[] = [];
  let waiting = 0;
  for await (const block of blocksOf(path)) {
    const end = block.lastIndexOf("\n");
    waiting += block.length;
    if (end === -1 && waiting > LINE_MAX)
      throw new Stop(UNREADABLE, `${path} has a line without an end.`);
    if (end === -1) rest.push(block);
    if (end === -1) continue;
    const texts = (rest.join("") + block.slice(0, end)).split("\n");
    yield { texts, before };
    before += texts.length;
    rest = [block.slice(end + 1)];
    waiting = block.length - end - 1;
  }
  const last = rest.join("");
  if (last !== "") yield { texts: [last], before };
}

const SQLITE = "SQLite format 3\0";

/** A saved chain. A Stop when the file cannot be read, or holds another kind of line. */
export async function fileChain(path: string): Promise<ChainSource> {
  const lines = linesOf(path);
  const first = await lines.next();
  const [text, ...texts] = first.done ? [] : first.value.texts;
  if (text === undefined) throw new Stop(UNREADABLE, `${path} is empty.`);
  if (text.startsWith(SQLITE)) throw new Stop(USAGE, "This is a database; use `cairn verify`.");
  const header = jsonOf(text);
  if (!isHeader(header)) throw strange(path, 1);
  refuseEndedExport(path, header);
  return { header, records: recordsOf(path, { texts, before: 1 }, lines) };
}

const strange = (path: string, line: number): Stop =>
  new Stop(UNREADABLE, `${path}, line ${line}: This is no line of a saved chain.`);

async function* recordsOf(
  path: string,
  first: Lines,
  others: AsyncIterable<Lines>,
): AsyncGenerator<ChainRecord> {
  async function* all() {
    yield first;
    yield* others;
  }
  for await (const { texts, before } of all()) {
    for (const [i, text] of texts.entries()) {
      const record = jsonOf(text);
      if (isRecord(record)) {
        refuseEndedRecord(path, record);
        yield record;
      }
      // An export has more than the chain.
      else if (!isOpen(record) || (record["type"] !== "row" && record["type"] !== "end"))
        throw strange(path, before + i + 1);
    }
  }
}

/** Writes a chain as one JSON object a line, in the order in which it is verified. */
export const saveChain = (path: string, source: ChainSource): Promise<void> =>
  writeWhole(path, textOf(source));

async function* textOf({ header, records }: ChainSource): AsyncGenerator<string> {
  yield `${JSON.stringify(header)}\n`;
  for await (const record of records) yield `${JSON.stringify(record)}\n`;
}
