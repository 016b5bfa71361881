import type { Context, SealedEntry } from "../../context.ts";
import type { Db } from "../../db/engine.ts";
import { fromHex } from "../../kernel/bytes.ts";
import { Rejection } from "../../kernel/contract/errors.ts";
import { lru } from "../../kernel/lru.ts";
import { leafOf } from "../../kernel/proof/entry.ts";
import { fold, isSame, sealNode } from "../../kernel/proof/merkle.ts";
import { sealMessage } from "../../kernel/proof/seal-text.ts";
import * as sql from "../queries.ts";
import { sha256 } from "../sha256.ts";
import { verifySignature } from "./ed25519.ts";
import { pathFinder } from "./paths.ts";
import { hex, type SealRow, sealHashOf, showSeal } from "./seals.ts";
import type { Signer, SignerMemory } from "./signer.ts";

/** Entries whose proof one process remembers, by their leaves. */
const PROVEN_MAX = 100_000;

/** How long after a signature its seal may be missing, because a snapshot is older than the seal. */
const SNAPSHOT_MAX_S = 60;

const inSeal = sealNode(sha256);

/**
 * Whether stored entries are what this node has signed. Somebody who writes to the database can change an entry with
 * its leaf, and seals with their signatures; the signer's memory and its keys are outside of it. An entry that has no
 * signed seal yet is believed, and so is every one on a node that has signed nothing.
 */
export function entryProver(signer: Signer | null, clock: Context["clock"]): Context["isProven"] {
  const proven = lru<number, string>({ max: PROVEN_MAX, sizeOf: () => 1 });
  const findPath = pathFinder();
  /** The newest signature whose seal was found so far. */
  let found: SignerMemory | null = null;

  /**
   * The newest signature whose seal is there, and the last entry of that seal; null when the seal has gone. Another
   * process may sign while a snapshot is open: for a minute, the signature that was found before counts instead.
   */
  async function newestIn(read: Db, memory: SignerMemory) {
    const isNew = Math.abs(clock.now() - memory.signed_at) < SNAPSHOT_MAX_S;
    for (const signed of isNew ? [memory, found] : [memory]) {
      const seal = signed && (await sql.sealBySeq.first(read, { seq: signed.seq }));
      if (!signed || !seal || hashOf(seal) !== signed.seal_hash) continue;
      if (signed === memory) found = memory;
      return { signed, to_id: seal.to_id };
    }
    return null;
  }

  async function isProven(read: Db, entry: SealedEntry, memory: SignerMemory): Promise<boolean> {
    const { ledger_id } = entry;
    const leaf = leafOf(Buffer.from(entry.entry), sha256);
    if (!isSame(leaf, entry.leaf)) return false;
    if (proven.get(ledger_id) === hex(leaf)) return true;
    const newest = await newestIn(read, memory);
    if (newest === null) return false;
    if (ledger_id > newest.to_id) return true;
    const seal = await sql.sealOfEntry.first(read, { ledger_id });
    if (seal === undefined || !(await isOwn(read, seal, newest.signed))) return false;
    const path = await findPath(read, seal, ledger_id - seal.from_id, leaf);
    if (!isSame(fold(leaf, path, inSeal), seal.root)) return false;
    proven.set(ledger_id, hex(leaf));
    return true;
  }

  /** Whether a seal is signed by a key of this node, or leads to the one that it has signed last. */
  async function isOwn(read: Db, seal: SealRow, memory: SignerMemory): Promise<boolean> {
    if (seal.pubkey !== null && signer?.keyOf(seal.pubkey)) return isSigned(seal);
    let expected = memory.seal_hash;
    for (let { seq } = memory; seq >= seal.seq; seq--) {
      const link = seq === seal.seq ? seal : await sql.sealBySeq.first(read, { seq });
      if (link === undefined || hashOf(link) !== expected) return false;
      expected = link.prev_seal === null ? "" : hex(link.prev_seal);
    }
    return true;
  }

  return async (read, entries) => {
    const memory = signer?.recall() ?? null;
    if (memory === "unreadable")
      throw new Rejection(
        "storage_unavailable",
        "The signer's memory cannot be read now. Try again later.",
      );
    if (memory === null) return true;
    for (const entry of entries) if (!(await isProven(read, entry, memory))) return false;
    return true;
  };
}

/** From its fields and not from the stored hash. */
const hashOf = (seal: SealRow): string => hex(sealHashOf(showSeal(seal)));

function isSigned(seal: SealRow): boolean {
  const { pubkey, signature, signed_at } = seal;
  if (pubkey === null || signature === null || signed_at === null) return false;
  const message = Buffer.from(sealMessage(showSeal(seal), signed_at, pubkey));
  return verifySignature(fromHex(pubkey), message, Buffer.from(signature, "base64"));
}
