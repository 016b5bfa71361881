import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Fault, honest } from "../src/platform/chain/dev/node.ts";

/** Recorded on the live network in 2019. */
const FILE = join(import.meta.dirname, "vectors/nano-blocks.json");

interface Recorded {
  readonly block_account: string | null;
  readonly amount: string;
  readonly confirmed?: string;
  readonly contents: Readonly<Record<string, string>>;
}

/** Blocks by hash, as a node shows them. */
export function recordedBlocks(): ReadonlyMap<string, Recorded> {
  return new Map(Object.entries(JSON.parse(readFileSync(FILE, "utf8"))));
}

/** The only recorded hash that begins so. */
export function recordedHash(start: string): string {
  const found = [...recordedBlocks().keys()].filter((hash) => hash.startsWith(start));
  if (found.length !== 1) throw new Error(`${found.length} recorded hashes begin with ${start}.`);
  return String(found[0]);
}

/** A node that knows the recorded blocks and nothing else. */
export function recordedNode(): Fault {
  const blocks = recordedBlocks();
  const receiveOf = (hash: string) =>
    [...blocks].find(([, { contents }]) => [contents["link"], contents["source"]].includes(hash));
  return (action, answer, request) => {
    const { hash = "", hashes = [] } = JSON.parse(request);
    if (action === "receivable_exists") {
      return honest(action, { exists: receiveOf(hash) === undefined ? "1" : "0" }, request);
    }
    if (action !== "blocks_info") return honest(action, answer, request);
    const rows = hashes.flatMap((asked: string) => {
      const row = blocks.get(asked);
      const receive_hash = receiveOf(asked)?.[0] ?? "0".repeat(64);
      return row === undefined ? [] : [[asked, { confirmed: "true", ...row, receive_hash }]];
    });
    const missing = hashes.filter((asked: string) => !blocks.has(asked));
    const info = {
      blocks: rows.length === 0 ? "" : Object.fromEntries(rows),
      blocks_not_found: missing.length === 0 ? "" : missing,
    };
    return honest(action, info, request);
  };
}
