import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Entry } from "../../../platform/kernel/proof/entry.ts";
import { leafOf, parseEntry, sealedText } from "../../../platform/kernel/proof/entry.ts";
import { faultOf } from "../../../platform/kernel/proof/unproven.ts";
import { parseTilePath } from "../../../platform/kernel/tlog/tiles.ts";
import { sha256 } from "../../../platform/ledger/sha256.ts";
import { refuseEndedExport } from "../../../verify/ended.ts";
import { isOpen } from "../../../verify/shapes.ts";
import { linesOf } from "../../command/lines.ts";
import { messageOf, Stop, UNREADABLE } from "../../command/stop.ts";

/** An entry as a file has it, and what is wrong with its form; null where nothing is. */
export interface ReadEntry {
  readonly entry: Entry;
  readonly fault: string | null;
}

/**
 * The entries of a file in their order: lines as `GET /since` gives them, with or without their sealed texts,
 * or as an export has them; a bundle of a public log; or a folder with the files of one. A Stop when it cannot be
 * read, or holds something else.
 */
export async function* entriesIn(path: string): AsyncGenerator<ReadEntry> {
  const bundles = await bundlesIn(path);
  if (bundles === null) yield* linesWithEntries(path);
  else for (const bundle of bundles) yield* entriesOfBundle(bundle);
}

/** The bundles of a log's folder in their order, or the one that the file is; null for lines. */
async function bundlesIn(path: string): Promise<readonly string[] | null> {
  try {
    if (!(await stat(path)).isDirectory()) return (await isBundle(path)) ? [path] : null;
    const names = await readdir(path, { recursive: true });
    const tiles = names.flatMap((name) => {
      const at = name.indexOf("tile/entries/");
      const tile = at < 0 ? null : parseTilePath(name.slice(at));
      return tile === null ? [] : [{ file: join(path, name), ...tile }];
    });
    // The newest bundle may be there in several widths; the widest one has the others.
    const widest = tiles.toSorted((a, b) => a.n - b.n || b.width - a.width);
    const bundles = widest.filter(({ n }, i) => widest[i - 1]?.n !== n);
    if (bundles.length > 0) return bundles.map(({ file }) => file);
  } catch (error) {
    throw new Stop(UNREADABLE, `${path} cannot be read: ${messageOf(error)}.`, error);
  }
  throw new Stop(UNREADABLE, `${path} holds no entries: a public log has them in tile/entries.`);
}

/** A bundle begins with the length of its first entry, in two bytes, and with the tag of every entry. */
const TAG = "agent-network/ledger-entry/";

async function isBundle(path: string): Promise<boolean> {
  const bytes = await readFile(path).then((all) => all.subarray(0, 2 + TAG.length));
  return bytes.subarray(2).toString("latin1") === TAG;
}

async function* entriesOfBundle(path: string): AsyncGenerator<ReadEntry> {
  const bytes = await readFile(path);
  for (let at = 0; at < bytes.length; ) {
    const length = at + 2 <= bytes.length ? bytes.readUInt16BE(at) : bytes.length;
    const sealed = bytes.subarray(at + 2, at + 2 + length);
    if (sealed.length !== length) throw new Stop(UNREADABLE, `${path} ends within an entry.`);
    yield { entry: sealedEntry(path, sealed), fault: null };
    at += 2 + length;
  }
}

function sealedEntry(path: string, sealed: Uint8Array): Entry {
  let entry: Entry | null = null;
  const fault = faultOf(() => {
    entry = parseEntry(sealed);
  });
  if (entry === null) throw new Stop(UNREADABLE, `${path}: ${fault ?? "there is no entry"}.`);
  return entry;
}

/** Other lines of an export or a saved chain, which say nothing of entries. */
const OTHERS: ReadonlySet<unknown> = new Set(["seal", "proof", "row", "end", "cairn-export"]);

async function* linesWithEntries(path: string): AsyncGenerator<ReadEntry> {
  let count = 0;
  for await (const { text, name } of linesOf(path)) {
    if (text.trim() === "") continue;
    const line = jsonIn(text, name);
    refuseEndedExport(path, line);
    if (isOpen(line) && OTHERS.has(line["type"])) continue;
    if (!isEntryLine(line)) throw new Stop(UNREADABLE, `${name}: this is no entry.`);
    count++;
    yield { entry: line, fault: formFault(line) };
  }
  if (count === 0) throw new Stop(UNREADABLE, `${path} holds no entries.`);
}

function jsonIn(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Stop(UNREADABLE, `${name}: this is no JSON.`, error);
  }
}

interface EntryLine extends Entry {
  readonly entry?: unknown;
  readonly leaf?: unknown;
}

const isEntryLine = (line: unknown): line is EntryLine =>
  isOpen(line) &&
  typeof line["id"] === "number" &&
  typeof line["at"] === "number" &&
  typeof line["kind"] === "string" &&
  typeof line["ref"] === "string" &&
  isOpen(line["body"]);

/** The sealed text and its leaf, where a line has them, are those of the fields beside them. */
function formFault(line: EntryLine): string | null {
  const { id, at, kind, ref, body, entry, leaf } = line;
  const text = sealedText({ id, at, kind, ref, body });
  if (text === null) return "no entry can have these fields";
  if (entry !== undefined && entry !== text) return "its fields are not those of its sealed text";
  const isHashed = leaf === undefined || leaf === leafOf(Buffer.from(text), sha256).toHex();
  return isHashed ? null : "its leaf is not the hash of its sealed text";
}
