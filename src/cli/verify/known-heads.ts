import { readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import * as z from "zod";
import { makeFolder } from "../../db/folder.ts";
import { Stop, USAGE } from "../command/stop.ts";

/** The state of a verified chain, by which the next verification notices a rewritten one. */
const head = z.object({
  /** Where it was read. */
  address: z.string(),
  /** The genesis key first, then keys that no rotation links. */
  keys: z.array(z.string()).readonly(),
  seq: z.int(),
  seal_hash: z.string(),
  /** The origin line of that seal; a restore changes it. */
  origin: z.string(),
  /** The key that signatures had led to: an older one cannot admit that this seal was lost. */
  signer: z.string().nullable().default(null),
});

const stateFile = z.object({ version: z.literal(1), heads: z.record(z.string(), head) });

export type Head = z.infer<typeof head>;

/** The newest seal seen of each chain, by the origin that it began with. A Stop when damaged. */
export async function readHeads(file: string): Promise<Map<string, Head>> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw new Stop(USAGE, `${file} cannot be read: ${error.message}.`, error);
  });
  if (text === null) return new Map();
  try {
    return new Map(Object.entries(stateFile.parse(JSON.parse(text)).heads));
  } catch (error) {
    const advice = "repair it, or name another one with --state";
    throw new Stop(USAGE, `${file} is not a state file of cairn verify: ${advice}.`, error);
  }
}

/** Replaces the head of one chain; the file is whole at every moment. */
export async function writeHead(file: string, origin: string, newest: Head): Promise<void> {
  const heads = (await readHeads(file)).set(origin, newest);
  const next = `${file}.${process.pid}`;
  try {
    makeFolder(dirname(file));
    const state = { version: 1, heads: Object.fromEntries(heads) };
    await writeFile(next, `${JSON.stringify(state, null, 2)}\n`, { flush: true });
    await rename(next, file);
  } catch (error) {
    throw new Stop(
      USAGE,
      `${file} cannot be written: ${error instanceof Error ? error.message : error}.`,
      error,
    );
  }
}
