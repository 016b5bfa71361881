import { sha256 } from "@noble/hashes/sha2.js";
import { toHex } from "../platform/kernel/bytes.ts";
import {
  type ChainState,
  chainStart,
  type Finding,
  verifySeal,
} from "../platform/kernel/proof/chain.ts";
import { type Entry, leafOf } from "../platform/kernel/proof/entry.ts";
import { type EntryProof, entryUnder, provenTurns } from "../platform/kernel/proof/inclusion.ts";
import {
  announcementMessage,
  type Seal,
  sealBody,
  sealMessage,
} from "../platform/kernel/proof/seal-text.ts";
import { demandSignature } from "../platform/kernel/proof/signature.ts";
import { demand, Unproven } from "../platform/kernel/proof/unproven.ts";
import { isOpen, isProof, isSeal } from "../verify/shapes.ts";
import { signatureCheck as check } from "./signature-check.ts";
import type { Verdict } from "./verdict.ts";
import type { NetworkCalls } from "./wire.ts";

/** What the reader holds already: from `GET /verify`, and compared with a second place. */
export interface Pinned {
  readonly origin: string;
  /** 64 hex characters: the key of the seal or announcement at hand; for a walk, that of seal 1. */
  readonly key: string;
}

function verdictOf<Facts>(prove: () => Facts): Verdict<Facts> {
  try {
    return { proven: true, ...prove() };
  } catch (error) {
    if (error instanceof Unproven) return { proven: false, reason: error.message };
    throw error;
  }
}

const encoder = new TextEncoder();
const hashOf = (text: string): string => toHex(sha256(encoder.encode(text)));

/** That the pinned key signed this seal: by its fields alone, nothing else is believed. */
function demandSealed(seal: Seal, { origin, key }: Pinned): void {
  const { signature, signed_at } = seal;
  demand(signature !== null && signed_at !== null, "the seal is not signed yet: ask again later");
  demand(seal.origin === origin, "the seal has another origin");
  demand(seal.seal_hash === hashOf(sealBody(seal)), "seal_hash is not the hash of the seal");
  demand(seal.pubkey === key, "the seal is signed with another key than the pinned one");
  demandSignature(check, key, sealMessage(seal, signed_at, key), signature);
}

/** What an answer of `GET /seal/proof` shows beside its proof. */
interface ProofAnswer extends EntryProof {
  readonly ledger_id: number;
  readonly kind: string;
  readonly ref: string;
  readonly root: string;
  readonly count: number;
  readonly leaf: string;
}

const SHOWN = { ledger_id: "number", kind: "string", ref: "string", root: "string" } as const;

const isAnswer = (answer: unknown): answer is ProofAnswer =>
  isOpen(answer) &&
  isProof(answer) &&
  Object.entries({ ...SHOWN, count: "number", leaf: "string" }).every(
    ([name, type]) => typeof answer[name] === type,
  );

/** Whether an answer of `GET /seal/proof` proves its entry to a reader that pinned origin and key. */
export function verifyProof(
  answer: unknown,
  pinned: Pinned,
): Verdict<{ entry: Entry; seal: Seal }> {
  return verdictOf(() => {
    const seal = isOpen(answer) ? answer["seal"] : null;
    demand(isAnswer(answer) && isSeal(seal), "the answer does not have the shape of a proof");
    const proof = answer;
    demandSealed(seal, pinned);
    const entry = entryUnder(seal, proof, sha256);
    const shown = [proof.ledger_id, proof.kind, proof.ref, proof.root, proof.count, proof.leaf];
    const leaf = toHex(leafOf(encoder.encode(proof.entry), sha256));
    const proven = [entry.id, entry.kind, entry.ref, seal.root, seal.count, leaf];
    demand(
      proven.every((value, i) => value === shown[i]),
      "the answer says more than it proves",
    );
    return { entry, seal };
  });
}

type Announcement = Omit<
  Awaited<ReturnType<NetworkCalls["ledger"]["verify"]>>["announcements"][number],
  "rewards_per_hour" | "rate_limit_per_minute"
>;

/** Whether the pinned key signed an announcement as `GET /verify` shows it, and when. */
export function verifyAnnouncement(
  announcement: Announcement,
  { origin, key }: Pinned,
): Verdict<{ signed_at: number }> {
  return verdictOf(() => {
    const { id, kind, title, body, signed_message, signature } = announcement;
    const signed_at = Number(/\ntime (\d{1,15})\n/.exec(signed_message)?.[1]);
    const title_sha256 = hashOf(title);
    const body_sha256 = hashOf(body);
    const facts = { origin, id, signed_at, pubkey: key, kind, title_sha256, body_sha256 };
    demand(announcementMessage(facts) === signed_message, "what is signed is another announcement");
    demandSignature(check, key, signed_message, signature);
    return { signed_at };
  });
}

export interface Walk {
  /** Where an earlier walk ended: plain JSON, so it can be kept. Default: from seal 1. */
  readonly after?: ChainState;
  /** Proofs of the `key_rotation` and `ledger_restored` entries under these seals. */
  readonly proofs?: readonly EntryProof[];
  /** Keys that no signed rotation leads to, pinned like the first. */
  readonly laterKeys?: readonly string[];
}

/**
 * Walks the links of `GET /seal`, in order and without gaps. No findings: the chain is as it should
 * be, and `state.vouched` names the newest seal that the pinned key, or one that it leads to, has
 * signed: nothing vouches for later ones. Entries are not read: `cairn verify --entries` does that.
 */
export function verifySeals(
  seals: readonly unknown[],
  pinned: Pinned,
  { after, proofs = [], laterKeys = [] }: Walk = {},
): { readonly state: ChainState; readonly findings: readonly Finding[] } {
  const keys = new Set([pinned.key, ...laterKeys]);
  const verifier = { ...check, sha256, trusts: (key: string) => keys.has(key) };
  const findings: Finding[] = [];
  let state = after ?? chainStart(pinned.origin, pinned.key);
  for (const seal of seals) {
    if (!isSeal(seal)) {
      const seq = (state.last?.seq ?? 0) + 1;
      return { state, findings: [...findings, { seq, reason: "it has not the shape of a seal" }] };
    }
    const proven = provenTurns(seal, proofs, sha256);
    const step = verifySeal(verifier, state, seal, proven);
    findings.push(...proven.findings, ...step.findings);
    state = step.state;
  }
  return { state, findings };
}
