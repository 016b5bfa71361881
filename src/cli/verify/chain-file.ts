import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import * as z from "zod";
import { jsonOf, type Line, linesOf } from "../command/lines.ts";
import { messageOf, Stop, UNREADABLE, USAGE } from "../command/stop.ts";
import { type ChainRecord, type ChainSource, chainHeader, chainRecord } from "./chain-records.ts";

/** A line of a saved chain, or of an export, which has more than the chain. */
const fileRecord = z.discriminatedUnion("type", [
  ...chainRecord.options,
  z.object({ type: z.literal("row") }),
  z.object({ type: z.literal("end") }),
]);

/** A saved chain. A Stop when the file cannot be read, or holds another kind of line. */
export async function fileChain(path: string): Promise<ChainSource> {
  const lines = linesOf(path);
  const first = await lines.next();
  if (first.done) throw new Stop(UNREADABLE, `${path} is empty.`);
  return { header: parsed(first.value, chainHeader), records: recordsOf(lines) };
}

/** Writes a chain as one JSON object a line, in the order in which it is verified. */
export async function saveChain(path: string, source: ChainSource): Promise<void> {
  const unfinished = `${path}.partial`;
  try {
    await pipeline(textOf(source), createWriteStream(unfinished));
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    if (error instanceof Stop) throw error;
    throw new Stop(USAGE, `${path} cannot be written: ${messageOf(error)}.`, error);
  }
}

async function* textOf({ header, records }: ChainSource): AsyncGenerator<string> {
  yield `${JSON.stringify(header)}\n`;
  for await (const record of records) yield `${JSON.stringify(record)}\n`;
}

async function* recordsOf(lines: AsyncIterable<Line>): AsyncGenerator<ChainRecord> {
  for await (const line of lines) {
    const record = parsed(line, fileRecord);
    if (record.type !== "row" && record.type !== "end") yield record;
  }
}

function parsed<Shape extends z.ZodType>({ text, name }: Line, shape: Shape): z.output<Shape> {
  const { data } = shape.safeParse(jsonOf(text));
  if (data === undefined) throw new Stop(UNREADABLE, `${name}: This is no line of a saved chain.`);
  return data;
}
