import { ENTRY_BYTES_MAX } from "../../platform/kernel/proof/entry.ts";
import { HASH_BYTES } from "../../platform/kernel/proof/merkle.ts";
import {
  entriesOf,
  hashesOf,
  TILE_WIDTH,
  type Tile,
  tilePath,
} from "../../platform/kernel/tlog/tiles.ts";
import { Stop } from "../stop.ts";
import type { ReadLog } from "./source.ts";

/** So many files that cannot be read end a walk: nobody is there. */
const UNREAD_MAX = 16;

/** A fault of the files of a log, and its place. */
export interface LogFault {
  /** Below the log's address: `tile/entries/x001/234`. */
  readonly file: string;
  /** The entry that it concerns, or the first of those; null where it concerns none. */
  readonly ledger_id: number | null;
  readonly reason: string;
  /** Whether the file could not be read at all. */
  readonly unread: boolean;
}

export type OnFault = (fault: LogFault) => void;

type Parts = readonly Uint8Array[];

/** The tiles and bundles of a log; null for what cannot be read, or is none. */
export interface LogFiles {
  /** The hashes of a tile, or the entries of a bundle. */
  parts(tile: Tile): Promise<Parts | null>;
  /** One hash, and the file in which it stands. Each level is asked for in rising order. */
  hash(
    level: number,
    n: number,
  ): Promise<{ readonly hash: Uint8Array; readonly file: string } | null>;
  /** How many files were read. */
  count(): number;
}

/** The files of a log with a tree of `size` entries. A Stop when too many of them cannot be read. */
export function logFiles(read: ReadLog, size: number, onFault: OnFault): LogFiles {
  let files = 0;
  let unread = 0;
  const current = new Map<number, { readonly tile: Tile; readonly parts: Promise<Parts | null> }>();

  async function parts(tile: Tile): Promise<Parts | null> {
    const fault = (reason: string, isUnread: boolean) =>
      onFault({ file: tilePath(tile), ledger_id: firstIn(tile), reason, unread: isUnread });
    try {
      const found = await readTile(read, tile);
      files++;
      if (found === null) fault(`it is none of ${tile.width}`, false);
      return found;
    } catch (error) {
      if (!(error instanceof Stop) || ++unread > UNREAD_MAX) throw error;
      fault(`it cannot be read (${error.message})`, true);
      return null;
    }
  }

  return {
    parts,
    count: () => files,
    async hash(level, n) {
      const at = Math.floor(n / TILE_WIDTH);
      const width = Math.min(TILE_WIDTH, hashesOf(level, size) - at * TILE_WIDTH);
      let open = current.get(level);
      if (open?.tile.n !== at) {
        const tile = { level, n: at, width };
        open = { tile, parts: parts(tile) };
        current.set(level, open);
      }
      const hash = (await open.parts)?.[n - at * TILE_WIDTH];
      return hash === undefined ? null : { hash, file: tilePath(open.tile) };
    },
  };
}

const firstIn = ({ level, n }: Tile): number =>
  n * TILE_WIDTH * (level === "entries" ? 1 : TILE_WIDTH ** level) + 1;

/** What a file holds; null when it is none. In place of a partial one the full one may stand by now. */
export async function readTile(read: ReadLog, tile: Tile): Promise<Parts | null> {
  try {
    return partsOf(tile, await read(tilePath(tile), bytesOf(tile)));
  } catch (error) {
    if (tile.width === TILE_WIDTH || !(error instanceof Stop)) throw error;
    const full = { ...tile, width: TILE_WIDTH };
    const bytes = await read(tilePath(full), bytesOf(full)).catch(() => null);
    if (bytes === null) throw error;
    return partsOf(full, bytes)?.slice(0, tile.width) ?? null;
  }
}

/** The most bytes of a file that are read: each entry stands behind its length in two bytes. */
const bytesOf = ({ level }: Tile): number =>
  TILE_WIDTH * (level === "entries" ? 2 + ENTRY_BYTES_MAX : 2 * HASH_BYTES);

function partsOf({ level, width }: Tile, bytes: Uint8Array): Parts | null {
  if (level === "entries") return entriesOf(bytes, width);
  if (bytes.length !== width * HASH_BYTES) return null;
  return Array.from({ length: width }, (_, i) =>
    bytes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES),
  );
}
