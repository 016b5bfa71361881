import { createPrivateKey, createPublicKey, hash, sign } from "node:crypto";
import {
  addEntries,
  type ChainState,
  chainStart,
  contentsAfter,
  type StoredEntry,
  type Verifier,
  verifySeal,
} from "../src/platform/kernel/proof/chain.ts";
import {
  bodyText,
  type EntryBody,
  entryText,
  leafOf,
  parseEntry,
} from "../src/platform/kernel/proof/entry.ts";
import {
  EMPTY_FRONTIER,
  grow,
  logNode,
  merkleRoot,
  pathOf,
  rootOf,
  sealNode,
  treeOf,
} from "../src/platform/kernel/proof/merkle.ts";
import {
  keyRotationMessage,
  type Seal,
  sealBody,
  sealMessage,
} from "../src/platform/kernel/proof/seal-text.ts";
import { verifySignature } from "../src/platform/ledger/seals/ed25519.ts";

export const sha256 = (bytes: Uint8Array): Uint8Array => hash("sha256", bytes, "buffer");

const inSeal = sealNode(sha256);
const inLog = logNode(sha256);

/** The holder of a key. The private key is 32 times the same byte. */
export interface Operator {
  readonly pubkey: string;
  sign(message: string): string;
}

/** PrivateKeyInfo of an Ed25519 key is this prefix and its 32 bytes (RFC 8410). */
const PKCS8_PREFIX = "302e020100300506032b657004220420";

export function operatorOf(byte: number): Operator {
  const der = Buffer.concat([Buffer.from(PKCS8_PREFIX, "hex"), Buffer.alloc(32, byte)]);
  const privateKey = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  const spki = createPublicKey(privateKey).export({ format: "der", type: "spki" });
  return {
    pubkey: spki.subarray(-32).toHex(),
    sign: (message) => sign(null, Buffer.from(message), privateKey).toString("base64"),
  };
}

/** An entry before the ledger gives it an id and a time. */
export interface Draft {
  readonly kind: string;
  readonly ref: string;
  readonly body: EntryBody;
}

export const posts = (...ids: number[]): Draft[] =>
  ids.map((post_id) => ({ kind: "post", ref: String(post_id), body: { post_id } }));

export const genesisOf = (origin: string, by: Operator | null): Draft[] => [
  { kind: "genesis", ref: "1", body: { origin, rules: 1, ...(by && { pubkey: by.pubkey }) } },
];

/** A rotation; a `from` that is no operator has lost its key. */
export function rotationOf(of: {
  readonly origin: string;
  readonly rotation: number;
  readonly from: Operator | string | null;
  readonly to: Operator;
}): Draft {
  const { origin, rotation, from, to } = of;
  const old_pubkey = typeof from === "string" ? from : (from?.pubkey ?? null);
  const facts = { origin, rotation, signed_at: 1_700_000_000, old_pubkey, new_pubkey: to.pubkey };
  const message = keyRotationMessage(facts);
  const isAnchored = from !== null && typeof from !== "string";
  return {
    kind: "key_rotation",
    ref: String(rotation),
    body: {
      rotation,
      signed_at: facts.signed_at,
      new_pubkey: to.pubkey,
      signature_new: to.sign(message),
      anchored: isAnchored ? 1 : 0,
      ...(old_pubkey === null ? {} : { old_pubkey }),
      ...(isAnchored ? { signature_old: from.sign(message) } : {}),
    },
  };
}

/** One seal to be made: what it covers, and who signs it, if anybody. */
export interface Plan {
  readonly covers: readonly Draft[];
  readonly by: Operator | null;
  readonly origin: string;
}

export interface Chain {
  readonly entries: readonly StoredEntry[];
  readonly seals: readonly Seal[];
}

const AT = 1_760_000_000;

/** The ledger and the seals that a service without faults would make of a plan. */
export function chainOf(plans: readonly Plan[]): Chain {
  const entries: StoredEntry[] = [];
  const seals: Seal[] = [];
  let log = EMPTY_FRONTIER;
  for (const { covers, by, origin } of plans) {
    const last = seals.at(-1);
    const from_id = entries.length + 1;
    for (const draft of covers) entries.push(storedEntry(entries.length + 1, draft));
    const leaves = entries.slice(from_id - 1).map(({ leaf }) => leaf);
    log = grow(log, leaves, inLog);
    const seq = seals.length + 1;
    const fields = {
      origin,
      seq,
      at: AT + entries.length,
      count: covers.length,
      from_id,
      to_id: entries.length,
      root: merkleRoot(leaves, inSeal).toHex(),
      prev_root: last?.root ?? null,
      prev_seal: last?.seal_hash ?? null,
      log_root: rootOf(log, inLog).toHex(),
    };
    seals.push(sealed(fields, by));
  }
  return { entries, seals };
}

export function storedEntry(id: number, { kind, ref, body }: Draft): StoredEntry {
  const fields = { id, at: AT + id, kind, ref, body: bodyText(body) };
  const entry = entryText(fields);
  return { ...fields, entry, leaf: leafOf(Buffer.from(entry), sha256) };
}

/** A seal of whatever the fields say: hash and signature are right, whether or not the rest is. */
export function sealed(fields: Parameters<typeof sealBody>[0], by: Operator | null): Seal {
  const signed_at = by === null ? null : fields.at + 1;
  const message = signed_at === null ? "" : sealMessage(fields, signed_at, by?.pubkey ?? "");
  return {
    ...fields,
    seal_hash: sha256(Buffer.from(sealBody(fields))).toHex(),
    signed_at,
    pubkey: by?.pubkey ?? null,
    signature: by?.sign(message) ?? null,
    signed: by !== null,
    algo: "ed25519",
  };
}

/** The parts of `GET /seal/proof` that a verifier uses; undefined when nothing is sealed there. */
export function proofOf({ entries, seals }: Chain, kind: string, ref: string) {
  const entry = entries.find((stored) => stored.kind === kind && stored.ref === ref);
  const seal = seals.find(({ to_id }) => entry !== undefined && to_id >= entry.id);
  if (entry === undefined || seal === undefined) return undefined;
  const leaves = entries.slice(seal.from_id - 1, seal.to_id).map(({ leaf }) => leaf);
  const index = entry.id - seal.from_id;
  const path = pathOf(treeOf(leaves, inSeal), index);
  return { seal, seq: seal.seq, index, path, entry: entry.entry, leaf: entry.leaf.toHex() };
}

export const startOf = (origin: string, pinned: Operator | null): ChainState =>
  chainStart(origin, pinned?.pubkey ?? null);

const verifierOf = (pinned: readonly string[]): Verifier => ({
  sha256,
  verifySignature,
  trusts: (key) => pinned.includes(key),
});

const under = ({ entries }: Chain, { from_id, to_id }: Seal): StoredEntry[] =>
  entries.filter(({ id }) => id >= from_id && id <= to_id);

/** Every fault as `seq: reason`, with all entries read, and where the walk ended. */
export function faultsOf(start: ChainState, chain: Chain, pinned: readonly string[] = []) {
  const faults: string[] = [];
  let state = start;
  for (const seal of chain.seals) {
    const { contents, findings } = addEntries(contentsAfter(state), under(chain, seal), sha256);
    const step = verifySeal(verifierOf(pinned), state, seal, contents);
    faults.push(...[...findings, ...step.findings].map(({ seq, reason }) => `${seq}: ${reason}`));
    state = step.state;
  }
  return { faults, state };
}

/** The same along the links alone, where the entries of a seal are known but its trees are not. */
export function linkFaultsOf(start: ChainState, chain: Chain) {
  const faults: string[] = [];
  let state = start;
  for (const seal of chain.seals) {
    const turns = under(chain, seal).map(({ entry }) => parseEntry(Buffer.from(entry)));
    const step = verifySeal(verifierOf([]), state, seal, { turns });
    faults.push(...step.findings.map(({ seq, reason }) => `${seq}: ${reason}`));
    state = step.state;
  }
  return { faults, state };
}
