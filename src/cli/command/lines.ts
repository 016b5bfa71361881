import { open } from "node:fs/promises";
import { linesOf as blocksOfLines } from "../../verify/file.ts";
import { messageOf, Stop, UNREADABLE } from "./stop.ts";

/** One line of a file. */
export interface Line {
  readonly text: string;
  /** How a message names it. */
  readonly name: string;
}

/** The lines of a file, which may be compressed by gzip. A Stop when it cannot be read. */
export async function* linesOf(path: string): AsyncGenerator<Line> {
  for await (const { texts, before } of blocksOfLines(path)) {
    for (const [i, text] of texts.entries())
      yield { text, name: `${path}, line ${before + i + 1}` };
  }
}

const SQLITE = "SQLite format 3\0";

/** Whether a file is a database of the embedded engine. A Stop when it cannot be read. */
export async function isDatabaseFile(path: string): Promise<boolean> {
  try {
    return (await firstBytes(path, SQLITE.length)).toString("latin1") === SQLITE;
  } catch (error) {
    throw new Stop(UNREADABLE, `${path} cannot be read: ${messageOf(error)}.`, error);
  }
}

/** What a file begins with. */
async function firstBytes(path: string, count: number): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(count), 0, count, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
