import { readFileSync } from "node:fs";
import * as z from "zod";

/** Vectors of C2SP logs and witnesses, made outside this project, over the entries of `seal.json`. */

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`vectors/${name}.json`, import.meta.url), "utf8"));

const key = z.object({
  seed: z.string(),
  pubkey: z.string(),
  key_id: z.string(),
  vkey: z.string(),
});
const tile = z.object({ path: z.string(), bytes: z.int(), sha256: z.string() });
const proof = { hashes: z.int(), sha256_of_concat: z.string() };

export const VECTORS = z
  .object({
    log: key.extend({ origin: z.string(), origin_hash: z.string() }),
    witness: key.extend({ name: z.string() }),
    empty_root_b64: z.string(),
    checkpoints: z.array(z.object({ size: z.int(), root: z.string(), note: z.string() })),
    add_checkpoint: z.array(
      z.object({
        old: z.int(),
        size: z.int(),
        time: z.int(),
        request: z.string(),
        cosigned_message: z.string(),
        response_200: z.string(),
      }),
    ),
    add_checkpoint_refused: z.array(
      z.object({
        why: z.string(),
        status: z.int(),
        request: z.string(),
        content_type: z.string().optional(),
        response: z.string().optional(),
      }),
    ),
    tile_paths: z.array(z.tuple([z.int(), z.string()])),
    small_tiles: z.array(tile),
    large: z.object({
      first_entry: z.string(),
      first_leaf: z.string(),
      roots: z.array(z.object({ size: z.int(), root: z.string() })),
      checkpoint_70000: z.string(),
      tile_count: z.object({ level0_full: z.int(), all: z.int() }),
      some_tiles: z.array(tile),
      consistency: z.array(z.object({ from: z.int(), to: z.int(), ...proof })),
      inclusion: z.array(z.object({ index: z.int(), size: z.int(), ...proof })),
    }),
    tlog_proof: z.object({ ledger_id: z.int(), index: z.int(), text: z.string() }),
    policy: z.string(),
  })
  .parse(read("witness"));

/** The bytes of the entries that the small log has. */
export const SMALL = z
  .object({ entries: z.array(z.object({ entry: z.string() })) })
  .parse(read("seal"))
  .entries.map(({ entry }) => Buffer.from(entry));

/** Entry `i` of the large log. */
export const largeEntry = (i: number): Buffer =>
  Buffer.from(
    `agent-network/ledger-entry/v1\n{"at":${1_760_000_000 + i},"body":{"after_id":${i}},"id":${i + 1},"kind":"heartbeat","ref":"${i}"}`,
  );
