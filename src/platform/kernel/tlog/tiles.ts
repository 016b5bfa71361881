/** Tiles and entry bundles of a log (c2sp.org/tlog-tiles). */

/** Hashes of a full tile, and entries of a full bundle. */
export const TILE_WIDTH = 256;
/** Levels of the tree between two levels of tiles. */
export const TILE_HEIGHT = 8;

/** One tile of hashes, or one bundle of entries. */
export interface Tile {
  readonly level: number | "entries";
  readonly n: number;
  /** 1 to 256. */
  readonly width: number;
}

const LEVEL_MAX = 63;

/** The address below the log's prefix: `tile/0/x001/x234/067.p/5`. */
export function tilePath({ level, n, width }: Tile): string {
  let path = String(n % 1_000).padStart(3, "0");
  for (let rest = Math.floor(n / 1_000); rest > 0; rest = Math.floor(rest / 1_000))
    path = `x${String(rest % 1_000).padStart(3, "0")}/${path}`;
  return `tile/${level}/${path}${width === TILE_WIDTH ? "" : `.p/${width}`}`;
}

const TILE_PATH = /^tile\/(entries|\d{1,2})\/((?:x\d{3}\/)*\d{3})(?:\.p\/([1-9]\d{0,2}))?$/;

/** What an address names; null for every other spelling. */
export function parseTilePath(path: string): Tile | null {
  const [, level = "", number = "", width = String(TILE_WIDTH)] = TILE_PATH.exec(path) ?? [];
  const tile: Tile = {
    level: level === "entries" ? level : Number(level),
    n: Number(number.replace(/[x/]/g, "")),
    width: Number(width),
  };
  const isKnown = tile.level === "entries" || tile.level <= LEVEL_MAX;
  return isKnown &&
    tile.width <= TILE_WIDTH &&
    Number.isSafeInteger(tile.n) &&
    tilePath(tile) === path
    ? tile
    : null;
}

/** Leaves under one hash of a level. */
const leavesPerHash = (level: Tile["level"]): number =>
  level === "entries" ? 1 : TILE_WIDTH ** level;

/** How many hashes of a level a tree of this size has. */
export const hashesOf = (level: Tile["level"], size: number): number =>
  Math.floor(size / leavesPerHash(level));

/** Whether a tile lies wholly in a tree of this size. */
export const isWithin = ({ level, n, width }: Tile, size: number): boolean =>
  n * TILE_WIDTH + width <= hashesOf(level, size);

/** The tiles of one level of a tree of `size` that a tree of `old_size` has not: full ones, then the partial one. */
export function* tilesBetween(
  level: Tile["level"],
  old_size: number,
  size: number,
): Generator<Tile> {
  const count = hashesOf(level, size);
  for (let n = Math.floor(hashesOf(level, old_size) / TILE_WIDTH); n * TILE_WIDTH < count; n++)
    yield { level, n, width: Math.min(TILE_WIDTH, count - n * TILE_WIDTH) };
}

/** The levels of tiles that a tree of this size has, the lowest first. */
export function levelsOf(size: number): number[] {
  const levels: number[] = [];
  for (let level = 0; hashesOf(level, size) > 0; level++) levels.push(level);
  return levels;
}

/** Entries, each behind its length in two bytes. */
export function bundleOf(entries: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(entries.reduce((sum, entry) => sum + 2 + entry.length, 0));
  let at = 0;
  for (const entry of entries) {
    bytes.set([Math.floor(entry.length / 256), entry.length % 256], at);
    bytes.set(entry, at + 2);
    at += 2 + entry.length;
  }
  return bytes;
}

/** The entries of a bundle; null when the bytes are none, or of another number of entries. */
export function entriesOf(bundle: Uint8Array, count: number): Uint8Array[] | null {
  const entries: Uint8Array[] = [];
  let at = 0;
  while (at + 2 <= bundle.length) {
    const length = (bundle[at] ?? 0) * 256 + (bundle[at + 1] ?? 0);
    entries.push(bundle.subarray(at + 2, at + 2 + length));
    at += 2 + length;
  }
  return at === bundle.length && entries.length === count ? entries : null;
}
