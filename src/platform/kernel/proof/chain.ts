import { toHex } from "../bytes.ts";
import { type Entry, entryText, leafOf, parseEntry } from "./entry.ts";
import {
  EMPTY_FRONTIER,
  type Frontier,
  grow,
  isSame,
  logNode,
  type NodeHash,
  rootOf,
  type Sha256,
  sealNode,
} from "./merkle.ts";
import { epochOf, firstOrigin } from "./origin.ts";
import {
  keyRotationMessage,
  SEAL_ENTRIES_MAX,
  type Seal,
  sealBody,
  sealMessage,
} from "./seal-text.ts";
import { demandSignature, HEX_32_BYTES, type SignatureCheck } from "./signature.ts";
import { demand, faultOf } from "./unproven.ts";

/** What a verifier brings along. */
export interface Verifier extends SignatureCheck {
  readonly sha256: Sha256;
  /** Whether a key counts that no signed rotation leads to: the reader holds it from elsewhere. */
  readonly trusts: (key: string) => boolean;
}

/** One fault, and the place in the chain where it shows. A walk goes on with what is claimed there. */
export interface Finding {
  readonly seq: number;
  readonly reason: string;
}

/** All that the next seal is checked against: O(log n), however long the chain. Never changed. */
export interface ChainState {
  readonly origin: string;
  /** The key that may sign the next seal; null when it is not one that the verifier holds. */
  readonly key: string | null;
  readonly last: Pick<Seal, "seq" | "at" | "to_id" | "root" | "seal_hash"> | null;
  /**
   * The newest seal that a key of the verifier's has signed: nothing vouches for what is after it.
   * `key` is the one to which it leads: its own, or that of a rotation under it.
   */
  readonly vouched: (Pick<Seal, "seq" | "seal_hash" | "origin"> & Pick<ChainState, "key">) | null;
  /** The time of the last entry that was read. */
  readonly entry_at: number;
  /** The tree over all entries; null once some were left out or their `log_root` was wrong. */
  readonly log: Frontier | null;
}

/** Before seal 1. Origin and key are pinned; null is for a ledger that began without a key. */
export const chainStart = (origin: string, key: string | null): ChainState => ({
  origin,
  key,
  last: null,
  vouched: null,
  entry_at: 0,
  log: EMPTY_FRONTIER,
});

/** Entries of the next seal that change what it or later ones may say; others do no harm here. */
export interface Turns {
  readonly turns: readonly Entry[];
}

/** All entries read so far for the next seal, as the roots of their trees. */
export interface Contents extends Turns {
  readonly seq: number;
  readonly next_id: number;
  readonly at: number;
  readonly tree: Frontier;
  readonly log: Frontier | null;
}

const seqAfter = (last: ChainState["last"]): number => (last?.seq ?? 0) + 1;

/** Before the first entry after `state`. */
export const contentsAfter = ({ last, entry_at, log }: ChainState): Contents => ({
  turns: [],
  seq: seqAfter(last),
  next_id: (last?.to_id ?? 0) + 1,
  at: entry_at,
  tree: EMPTY_FRONTIER,
  log,
});

/** An entry as it is stored or served: the sealed text, and what stands beside it. */
export interface StoredEntry extends Omit<Entry, "body"> {
  /** RFC 8785 text. */
  readonly body: string;
  readonly entry: string;
  readonly leaf: Uint8Array;
}

const TURNS: ReadonlySet<string> = new Set(["genesis", "key_rotation", "ledger_restored"]);

/** Whether entries of this kind change what later seals may say. */
export const isTurn = (kind: string): boolean => TURNS.has(kind);

/** Stands for the leaf of a text that is no entry, so that no root can fit by chance. */
const NO_LEAF: Uint8Array = new Uint8Array(32);

const encoder = new TextEncoder();

/** Reads the entries that follow, any number at a time. An unreadable one spoils the roots, too. */
export function addEntries(
  contents: Contents,
  entries: Iterable<StoredEntry>,
  sha256: Sha256,
): { readonly contents: Contents; readonly findings: readonly Finding[] } {
  const findings: Finding[] = [];
  const leaves: Uint8Array[] = [];
  const turns = [...contents.turns];
  let { next_id, at } = contents;
  for (const stored of entries) {
    let leaf = NO_LEAF;
    const fault = faultOf(() => {
      const bytes = encoder.encode(stored.entry);
      const entry = parseEntry(bytes);
      leaf = leafOf(bytes, sha256);
      demand(stored.entry.isWellFormed(), "its text is not well-formed Unicode");
      demand(entry.id === next_id, `its id should be ${next_id}`);
      demand(entry.at >= at, "its time is before that of the entry before it");
      demand(entryText(stored) === stored.entry, "what stands beside its text says something else");
      demand(isSame(leaf, stored.leaf), "its leaf is not the hash of its text");
      at = entry.at;
      if (isTurn(entry.kind)) turns.push(entry);
    });
    if (fault) findings.push({ seq: contents.seq, reason: `entry ${stored.id}: ${fault}` });
    leaves.push(leaf);
    next_id = stored.id + 1;
  }
  const tree = grow(contents.tree, leaves, sealNode(sha256));
  const log = contents.log && grow(contents.log, leaves, logNode(sha256));
  return { contents: { ...contents, turns, next_id, at, tree, log }, findings };
}

/**
 * Checks the next seal, and its entries when `known` are its contents. Returns every fault, and the
 * state for the seal after it. An unsigned seal is no fault: a later signed one covers it.
 */
export function verifySeal(
  verifier: Verifier,
  state: ChainState,
  seal: Seal,
  known: Turns | Contents,
): { readonly state: ChainState; readonly findings: readonly Finding[] } {
  const { sha256 } = verifier;
  const contents = "tree" in known ? known : null;
  const turned = takeTurns(verifier, state, seal, known.turns);
  const hash = toHex(sha256(encoder.encode(sealBody(seal))));
  const log_root = contents?.log ? rootHex(contents.log, logNode(sha256)) : null;
  const rules: Rule[] = [
    ...formRules(seal),
    ...linkRules(state.last, seal),
    [seal.origin === turned.origin, `its origin should be ${turned.origin}`],
    [seal.seal_hash === hash, "its seal_hash is not the hash of its fields"],
    ...(contents === null ? [] : contentRules(seal, contents, sha256)),
    [log_root === null || log_root === seal.log_root, "its log_root is not that of all entries"],
  ];
  const broken = rules.filter(([holds]) => !holds).map(([, reason]) => reason);
  const unsound = signatureFaults(verifier, state.key, seal);
  const reasons = [...broken, ...turned.faults, ...unsound];
  const { seq, at, to_id, root, seal_hash, origin } = seal;
  const vouched = { seq, seal_hash, origin, key: turned.key ?? seal.pubkey };
  return {
    findings: reasons.map((reason) => ({ seq: seqAfter(state.last), reason })),
    state: {
      origin,
      key: turned.key,
      last: { seq, at, to_id, root, seal_hash },
      vouched: seal.signed && unsound.length === 0 ? vouched : state.vouched,
      entry_at: contents?.at ?? state.entry_at,
      // Once wrong, the tree over everything would be reported as wrong at every later seal.
      log: log_root === seal.log_root && contents !== null ? contents.log : null,
    },
  };
}

type Rule = readonly [holds: boolean, reason: string];

const rootHex = (tree: Frontier, node: NodeHash): string =>
  tree.size === 0 ? "" : toHex(rootOf(tree, node));

/** An origin stands on a line of its own in every text that is signed. */
const PRINTABLE = /^[!-~]+$/;

const isHash = (value: string | null): boolean => value === null || HEX_32_BYTES.test(value);

const formRules = (seal: Seal): Rule[] => [
  [
    [seal.root, seal.prev_root, seal.prev_seal, seal.log_root, seal.seal_hash].every(isHash),
    "a hash is not 64 lower-case hex characters",
  ],
  [
    [seal.seq, seal.at, seal.from_id, seal.to_id].every((n) => Number.isSafeInteger(n) && n > 0),
    "a number is not a positive integer",
  ],
  [PRINTABLE.test(seal.origin), "its origin is not printable ASCII without spaces"],
  [
    [seal.signature, seal.pubkey, seal.signed_at].every(
      (value) => (value !== null) === seal.signed,
    ),
    "signature, pubkey, signed_at and signed do not agree on whether it is signed",
  ],
];

const linkRules = (last: ChainState["last"], seal: Seal): Rule[] => [
  [seal.seq === seqAfter(last), `its seq says ${seal.seq}`],
  [seal.from_id === (last?.to_id ?? 0) + 1, `its from_id should be ${(last?.to_id ?? 0) + 1}`],
  [
    seal.count >= 1 && seal.count === seal.to_id - seal.from_id + 1,
    "its count is not that of from_id to to_id",
  ],
  [seal.count <= SEAL_ENTRIES_MAX, `its count is above ${SEAL_ENTRIES_MAX}`],
  [seal.at >= (last?.at ?? 0), "its time is before that of the seal before it"],
  [seal.prev_root === (last?.root ?? null), "its prev_root is not the root of the seal before it"],
  [
    seal.prev_seal === (last?.seal_hash ?? null),
    "its prev_seal is not the hash of the seal before it",
  ],
];

const contentRules = (seal: Seal, contents: Contents, sha256: Sha256): Rule[] => [
  [
    contents.tree.size === seal.count && contents.next_id === seal.to_id + 1,
    `${contents.tree.size} entries up to ${contents.next_id - 1} were read for it`,
  ],
  [contents.at <= seal.at, "an entry under it is later than the seal"],
  [rootHex(contents.tree, sealNode(sha256)) === seal.root, "its root is not that of its entries"],
];

function signatureFaults(verifier: Verifier, key: string | null, seal: Seal): string[] {
  const { pubkey, signature, signed_at } = seal;
  if (pubkey === null || signature === null || signed_at === null) return [];
  const fault = faultOf(() => {
    demand(key !== null, "it is signed with a key that no signed rotation leads to: pin it first");
    demand(pubkey === key, "it is signed with another key than the chain allows here");
    demandSignature(verifier, key, sealMessage(seal, signed_at, key), signature);
  });
  return fault === null ? [] : [fault];
}

/** Origin and key after the entries of one seal; each entry that may not stand there is a fault. */
export function takeTurns(
  verifier: Verifier,
  state: Pick<ChainState, "origin" | "key">,
  seal: Pick<Seal, "signed">,
  turns: readonly Entry[],
): Pick<ChainState, "origin" | "key"> & { readonly faults: readonly string[] } {
  let { origin, key } = state;
  const faults: string[] = [];
  for (const entry of turns) {
    const { kind, ref, body } = entry;
    const fault = faultOf(() => {
      if (kind === "key_rotation") key = rotated(verifier, { origin, key }, seal, entry);
      if (kind === "ledger_restored") origin = restored(origin, entry);
      if (kind !== "genesis") return;
      demand(body["origin"] === origin, `it names the origin ${body["origin"]}`);
      demand(body["pubkey"] === undefined || body["pubkey"] === key, "it names another key");
    });
    if (fault !== null) faults.push(`${kind} ${ref}: ${fault}`);
  }
  return { origin, key, faults };
}

/** The origin that a restore leads to: the ledger's own, with a later epoch. */
function restored(origin: string, { body }: Entry): string {
  const { epoch } = body;
  demand(typeof epoch === "number" && epoch > epochOf(origin), "its epoch is not a later one");
  const next = `${firstOrigin(origin)}#${epoch}`;
  demand(body["origin"] === next, `it names the origin ${body["origin"]}, and not ${next}`);
  return next;
}

/** The key that a rotation leads to; null when the verifier has no reason to take it for one. */
function rotated(
  verifier: Verifier,
  { origin, key }: Pick<ChainState, "origin" | "key">,
  seal: Pick<Seal, "signed">,
  { body }: Entry,
): string | null {
  const { rotation, signed_at, old_pubkey = null, new_pubkey, signature_old, signature_new } = body;
  demand(typeof rotation === "number" && typeof signed_at === "number", "a number is missing");
  demand(old_pubkey === null || typeof old_pubkey === "string", "its old key is no text");
  demand(typeof new_pubkey === "string", "its new key is missing");
  const isAnchored = body["anchored"] === 1;
  // Only a lost key may go unnamed, and nothing is known of what a key that is not held did.
  const leadsOn = old_pubkey === key || key === null || (old_pubkey === null && !isAnchored);
  demand(leadsOn, "it leads on from another key than the chain's");
  const message = keyRotationMessage({ origin, rotation, signed_at, old_pubkey, new_pubkey });
  demandSignature(verifier, new_pubkey, message, String(signature_new));
  if (isAnchored) demandSignature(verifier, String(old_pubkey), message, String(signature_old));
  const isLinked = isAnchored && key !== null && seal.signed;
  return isLinked || verifier.trusts(new_pubkey) ? new_pubkey : null;
}
