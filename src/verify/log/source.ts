import { fileIn } from "../platform.ts";
import { messageOf, Stop, UNREADABLE } from "../stop.ts";
import { bytesAt } from "../transport.ts";

/** Reads one file of a log, by its path below the log's address. A Stop when it cannot be read. */
export type ReadLog = (path: string) => Promise<Uint8Array>;

/** The files of a log (c2sp.org/tlog-tiles) at a web address, or in a folder. */
export function logSource(named: string): ReadLog {
  const isWeb = /^https?:\/\//i.test(named);
  const address = isWeb ? named.replace(/\/+$/, "") : named;
  return async (path) => {
    try {
      return await (isWeb ? bytesAt(`${address}/${path}`) : fileIn(address, path));
    } catch (error) {
      throw new Stop(UNREADABLE, `${address}/${path}: ${messageOf(error)}`, error);
    }
  };
}
