import { createReadStream, createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import type * as z from "zod";
import { type ChainRecord, type ChainSource, chainHeader, chainRecord } from "./chain-records.ts";
import { Stop, UNREADABLE, USAGE } from "./stop.ts";

/** Characters of one line; the largest entry with its text is far below. */
const LINE_MAX = 4 * 1024 * 1024;

/** A saved chain. A Stop when the file cannot be read, or holds another kind of line. */
export async function fileChain(path: string): Promise<ChainSource> {
  const lines = numbered(path);
  const first = await lines.next();
  if (first.done) throw new Stop(UNREADABLE, `${path} is empty.`);
  return { header: parsed(first.value, chainHeader), records: recordsOf(lines) };
}

/** Writes a chain as one JSON object a line, in the order in which it is verified. */
export async function saveChain(path: string, source: ChainSource): Promise<void> {
  const unfinished = `${path}.partial`;
  try {
    await pipeline(linesOf(source), createWriteStream(unfinished));
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    if (error instanceof Stop) throw error;
    throw new Stop(USAGE, `${path} cannot be written: ${messageOf(error)}.`, error);
  }
}

async function* linesOf({ header, records }: ChainSource): AsyncGenerator<string> {
  yield `${JSON.stringify(header)}\n`;
  for await (const record of records) yield `${JSON.stringify(record)}\n`;
}

async function* recordsOf(lines: AsyncIterable<Line>): AsyncGenerator<ChainRecord> {
  for await (const line of lines) yield parsed(line, chainRecord);
}

interface Line {
  readonly text: string;
  /** How a message names it. */
  readonly name: string;
}

/** Lines end with a line feed only: `readline` would also cut at U+2028, which texts may hold. */
async function* numbered(path: string): AsyncGenerator<Line> {
  let count = 0;
  let rest = "";
  try {
    for await (const chunk of createReadStream(path, "utf8")) {
      const texts = `${rest}${chunk}`.split("\n");
      rest = texts.pop() ?? "";
      if (rest.length > LINE_MAX) throw new Stop(UNREADABLE, `${path} has a line without an end.`);
      for (const text of texts) yield { text, name: `${path}, line ${++count}` };
    }
  } catch (error) {
    if (error instanceof Stop) throw error;
    throw new Stop(UNREADABLE, `${path} cannot be read: ${messageOf(error)}.`, error);
  }
  if (rest !== "") yield { text: rest, name: `${path}, line ${++count}` };
}

function parsed<Shape extends z.ZodType>({ text, name }: Line, shape: Shape): z.output<Shape> {
  const { data } = shape.safeParse(jsonOf(text));
  if (data === undefined) throw new Stop(UNREADABLE, `${name}: This is no line of a saved chain.`);
  return data;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Then it has not the shape of a line, either.
  }
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
