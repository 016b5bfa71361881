import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { messageOf, Stop, UNREADABLE } from "./stop.ts";

/** Characters of one line; the largest entry or row is far below. */
const LINE_MAX = 8 * 1024 * 1024;

/** One line of a file. */
export interface Line {
  readonly text: string;
  /** How a message names it. */
  readonly name: string;
}

/**
 * The lines of a file, which may be compressed by gzip. They end with a line feed only: `readline` would also cut at U+2028, which texts may hold. A Stop when it cannot be read.
 */
export async function* linesOf(path: string): AsyncGenerator<Line> {
  let count = 0;
  let rest = "";
  try {
    for await (const chunk of await textOf(path)) {
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

const GZIP = "1f8b";

async function textOf(path: string): Promise<Readable> {
  const isCompressed = (await firstBytes(path, GZIP.length / 2)).toHex() === GZIP;
  const bytes = createReadStream(path);
  if (!isCompressed) return bytes.setEncoding("utf8");
  const text = createGunzip();
  bytes.on("error", (error) => text.destroy(error));
  return bytes.pipe(text).setEncoding("utf8");
}

/** What a file begins with. */
async function firstBytes(path: string, count: number): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(new Uint8Array(count), 0, count, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Undefined for what is no JSON, which then has not the shape of a line, either. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const SQLITE = "SQLite format 3\0";

/** Whether a file is a database of the embedded engine. A Stop when it cannot be read. */
export async function isDatabaseFile(path: string): Promise<boolean> {
  try {
    return Buffer.from(await firstBytes(path, SQLITE.length)).toString("latin1") === SQLITE;
  } catch (error) {
    throw new Stop(UNREADABLE, `${path} cannot be read: ${messageOf(error)}.`, error);
  }
}
