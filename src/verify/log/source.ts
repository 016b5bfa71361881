import { isWebAddress } from "../../platform/kernel/url.ts";
import { fileIn } from "../platform.ts";
import { messageOf, Stop, UNREADABLE } from "../stop.ts";
import { bytesAt } from "../transport.ts";

/** Reads one file of a log, of so many bytes at most, by its path below the log's address. A Stop when it cannot. */
export type ReadLog = (path: string, bytesMax: number) => Promise<Uint8Array>;

/** A checkpoint with all cosignatures that anybody has. */
export const CHECKPOINT_BYTES_MAX = 64 * 1024;

/** The files of a log (c2sp.org/tlog-tiles) at a web address, or in a folder. */
export function logSource(named: string): ReadLog {
  const isWeb = isWebAddress(named);
  const address = isWeb ? named.replace(/\/+$/, "") : named;
  return async (path, bytesMax) => {
    try {
      return await (isWeb
        ? bytesAt(`${address}/${path}`, bytesMax)
        : fileIn(address, path, bytesMax));
    } catch (error) {
      throw new Stop(UNREADABLE, `${address}/${path}: ${messageOf(error)}`, error);
    }
  };
}
