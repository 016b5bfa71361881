import type { Db } from "../../db/engine.ts";
import {
  addEntries,
  type ChainState,
  type Contents,
  chainStart,
  contentsAfter,
  type StoredEntry,
  type Verifier,
  verifySeal,
} from "../../kernel/proof/chain.ts";
import { CorruptEntry } from "../../kernel/proof/packed.ts";
import { DAY_S } from "../../kernel/time.ts";
import { sealedAfter } from "../entry-queries.ts";
import * as sql from "../queries.ts";
import { sha256 } from "../sha256.ts";
import { verifySignature } from "./ed25519.ts";
import { genesisOf } from "./keys.ts";
import type { JobContext } from "./seal.ts";
import { hex, type SealRow, showSeal } from "./seals.ts";

/** How often everything is checked again from the first entry on. */
const FULL_CHECK_EVERY_S = DAY_S;

/** Few enough that no request waits long behind one slice. */
const ENTRIES_SLICE = 250;
const SEALS_SLICE = 100;

const verifier: Verifier = {
  sha256,
  verifySignature,
  // Which keys count is what the ledger itself says; a reader who doubts that verifies offline.
  trusts: () => true,
};

/** The check behind `chain_intact`. */
export interface ChainAudit {
  /**
   * Checks what was sealed since the last call, and everything at the first call and once a day:
   * ids, times, links, leaves from the stored texts, roots, hashes, signatures. `made` is what a seal
   * of this process covers: sealing has read and hashed those entries a moment ago, so they are not
   * read again before the next full check. Resolves to the number of seals checked.
   */
  run(context: JobContext, made: Contents | null): Promise<number>;
  /** The newest seal that was checked and is no longer in the database, or is another; null without one. */
  lost(): number | null;
}

export function chainAudit(): ChainAudit {
  let state: ChainState | null = null;
  let beganAt = 0;
  let firstBroken: number | null = null;
  let lost: SealName | null = null;

  async function begin({ read, clock }: JobContext): Promise<ChainState> {
    const genesis = await genesisOf(read);
    beganAt = clock.now();
    firstBroken = null;
    // A later epoch has an origin of its own, and the chain says where it begins.
    return chainStart(genesis?.origin ?? "", genesis?.pubkey ?? null);
  }

  /**
   * After a failover that lost commits the database goes on from an older seal. That is no damage, so
   * the checks begin again, instead of comparing it with what it no longer has.
   */
  async function noticeLoss({ read, alarm }: JobContext, last: SealName | null): Promise<boolean> {
    if (lost !== null && (await isStored(read, lost))) lost = null;
    else if (last === null || (await isStored(read, last))) return false;
    else {
      lost = last;
      alarm("seals_lost", { seq: last.seq });
    }
    state = null;
    return true;
  }

  /** Takes a fault for one only if the seals are still there, and only on the way from the first. */
  async function isFault(context: JobContext, before: ChainState, isWhole: boolean) {
    if (await noticeLoss(context, before.last)) return false;
    if (isWhole) return true;
    state = null;
    return false;
  }

  async function walk(context: JobContext, made: Contents | null): Promise<number> {
    const { read, write, clock, alarm } = context;
    const isWhole = state === null || clock.now() - beganAt >= FULL_CHECK_EVERY_S;
    let known: ChainState = isWhole || state === null ? await begin(context) : state;
    let checked = 0;
    for (;;) {
      const after_seq: number = known.last?.seq ?? 0;
      const seals = await sql.sealsAfter.all(read, { after_seq, limit: SEALS_SLICE });
      if (seals.length === 0) break;
      for (const seal of seals) {
        const contents = made?.seq === seal.seq ? made : await readContents(context, known, seal);
        const next = checkSeal(known, seal, contents);
        if (next.reasons.length > 0 && firstBroken === null) {
          if (!(await isFault(context, known, isWhole))) return walk(context, made);
          firstBroken = seal.seq;
          alarm("ledger_violation", { seq: seal.seq, reasons: next.reasons });
          await write((tx) => sql.markBroken.run(tx, { first_broken_seq: seal.seq }));
        }
        known = next.state;
        state = known;
        checked++;
      }
    }
    if (checked === 0) return 0;
    const result = {
      verified_through_seq: known.last?.seq ?? 0,
      verified_at: clock.now(),
      first_broken_seq: firstBroken,
    };
    await write((tx) => sql.recordAudit.run(tx, result));
    return checked;
  }

  return {
    lost: () => lost?.seq ?? null,
    async run(context, made) {
      await noticeLoss(context, state?.last ?? null);
      return walk(context, made);
    },
  };
}

/** The identity of a seal among those with its number. */
type SealName = Pick<NonNullable<ChainState["last"]>, "seq" | "seal_hash">;

async function isStored(read: Db, { seq, seal_hash }: SealName): Promise<boolean> {
  const row = await sql.sealBySeq.first(read, { seq });
  return row !== undefined && hex(row.seal_hash) === seal_hash;
}

/** What a seal covers, and the faults of its entries. */
type ReadContents = Contents & { readonly faults?: readonly string[] };

function checkSeal(state: ChainState, row: SealRow, { faults = [], ...contents }: ReadContents) {
  const checked = verifySeal(verifier, state, showSeal(row), contents);
  return {
    state: checked.state,
    reasons: [...faults, ...checked.findings.map(({ reason }) => reason)],
  };
}

async function readContents(
  { read, yieldToRequests }: JobContext,
  state: ChainState,
  row: SealRow,
): Promise<ReadContents> {
  const faults: string[] = [];
  let contents: Contents = contentsAfter(state);
  let after_id = state.last?.to_id ?? 0;
  while (after_id < row.to_id) {
    const range = { after_id, to_id: row.to_id, limit: ENTRIES_SLICE };
    const stored = await storedAfter(read, range).catch((error: unknown) => {
      if (!(error instanceof CorruptEntry)) throw error;
      faults.push(error.message);
      return [];
    });
    if (stored.length === 0) break;
    const added = addEntries(contents, stored, sha256);
    contents = added.contents;
    faults.push(...added.findings.map(({ reason }) => reason));
    after_id = stored.at(-1)?.id ?? row.to_id;
    await yieldToRequests();
  }
  return { ...contents, faults };
}

async function storedAfter(
  read: Db,
  range: { readonly after_id: number; readonly to_id: number; readonly limit: number },
): Promise<StoredEntry[]> {
  const rows = await sealedAfter.all(read, range);
  return rows.map(({ ledger_id: id, ...row }) => ({ ...row, id }));
}
