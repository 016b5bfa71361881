import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { boundedFetch } from "../command/bounded-fetch.ts";
import { messageOf, Stop, UNREADABLE } from "../command/stop.ts";

/** Seconds that one file of a log may take. */
const PATIENCE_MS = 60_000;

/** Reads one file of a log, by its path below the log's address. A Stop when it cannot be read. */
export type ReadLog = (path: string) => Promise<Uint8Array>;

/** The files of a log at a web address, or in a folder. */
export const logSource = (address: string): ReadLog =>
  /^https?:\/\//i.test(address) ? fromWeb(address.replace(/\/+$/, "")) : fromFolder(address);

const fromFolder =
  (folder: string): ReadLog =>
  (path) =>
    readFile(join(folder, path)).catch((error: unknown): never => {
      throw new Stop(UNREADABLE, `${path}: ${messageOf(error)}`, error);
    });

const fromWeb =
  (address: string): ReadLog =>
  async (path) => {
    try {
      const signal = AbortSignal.timeout(PATIENCE_MS);
      const answer = await boundedFetch(`${address}/${path}`, { signal, redirect: "error" });
      if (answer.status === 200) return new Uint8Array(await answer.arrayBuffer());
      throw new Error(`the answer has the status ${answer.status}`);
    } catch (error) {
      throw new Stop(UNREADABLE, `${address}/${path}: ${messageOf(error)}`, error);
    }
  };
