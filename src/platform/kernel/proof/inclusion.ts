import { toHex } from "../bytes.ts";
import type { Finding, Turns } from "./chain.ts";
import { type Entry, leafOf, parseEntry } from "./entry.ts";
import { fold, type Sha256, type Step, sealNode, sidesOf } from "./merkle.ts";
import { SEAL_ENTRIES_MAX, type Seal } from "./seal-text.ts";
import { HEX_32_BYTES } from "./signature.ts";
import { demand, faultOf } from "./unproven.ts";

/** An entry and its path; `from_id`, `count` and `root` are those of the seal. */
export interface Inclusion {
  readonly entry: Uint8Array;
  readonly from_id: number;
  readonly index: number;
  readonly count: number;
  /** From the leaf up. */
  readonly path: readonly Step[];
  readonly root: string;
}

/** The entry, if it is at `index` under `root`; otherwise Unproven. */
export function verifyInclusion(of: Inclusion, sha256: Sha256): Entry {
  const { index, count, path, root } = of;
  const entry = parseEntry(of.entry);
  const isPlace = Number.isSafeInteger(index) && index >= 0 && index < count;
  demand(isPlace && Number.isSafeInteger(count), "the index is not below the count of the seal");
  demand(count <= SEAL_ENTRIES_MAX, "no seal covers so many entries");
  demand(entry.id === of.from_id + index, "the id of the entry is not the one at that index");
  const hashes = [root, ...path.map(({ hash }) => hash)];
  demand(hashes.every(isHash), "a hash is not 64 lower-case hex characters");
  const sides = path.map(({ side }) => side).join();
  // Sides are derived, never believed: otherwise one path could prove a leaf at two places.
  demand(sides === sidesOf(index, count).join(), "the path has not the sides of that index");
  const reached = fold(leafOf(of.entry, sha256), path, sealNode(sha256));
  demand(toHex(reached) === root, "the path does not lead to the root");
  return entry;
}

const isHash = (hash: string): boolean => HEX_32_BYTES.test(hash);

/** As much of an answer of `GET /seal/proof` as is not taken from the seal itself. */
export interface EntryProof {
  readonly seq: number;
  readonly index: number;
  readonly path: readonly Step[];
  readonly entry: string;
}

const encoder = new TextEncoder();

/** The entry that a proof places under `seal`, whose own fields are used and not the proof's. */
export function entryUnder(seal: Seal, proof: EntryProof, sha256: Sha256): Entry {
  demand(proof.seq === seal.seq, "the proof is of another seal");
  demand(proof.entry.isWellFormed(), "the entry is not well-formed Unicode");
  const { from_id, count, root } = seal;
  const { index, path } = proof;
  const entry = encoder.encode(proof.entry);
  return verifyInclusion({ entry, from_id, index, count, path, root }, sha256);
}

/** What `proofs` show under `seal`, for a walk that does not read every entry, and which fail. */
export function provenTurns(
  seal: Seal,
  proofs: readonly EntryProof[],
  sha256: Sha256,
): Turns & { readonly findings: readonly Finding[] } {
  const turns: Entry[] = [];
  const findings: Finding[] = [];
  for (const proof of proofs.filter(({ seq }) => seq === seal.seq)) {
    const fault = faultOf(() => turns.push(entryUnder(seal, proof, sha256)));
    if (fault !== null) findings.push({ seq: seal.seq, reason: `a proof under it: ${fault}` });
  }
  return { turns: turns.sort((a, b) => a.id - b.id), findings };
}
