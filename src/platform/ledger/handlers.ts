import type { Agent, Context } from "../context.ts";
import type { Db } from "../db/engine.ts";
import type { Handlers } from "../kernel/contract/operation.ts";
import { PAGE_MAX_BYTES, pageOf } from "../kernel/contract/page.ts";
import { announcementById, announcements } from "./announcements/announcement-queries.ts";
import {
  announcementCursor,
  type ledger,
  NEWEST_SEALS_MAX_BYTES,
  SEALS_LIMIT_DEFAULT,
  sealCursor,
} from "./contract.ts";
import { entryById } from "./entry-queries.ts";
import * as sql from "./queries.ts";
import { operatorKeys } from "./seals/keys.ts";
import { prover } from "./seals/proof.ts";
import { SEALED_WITHIN_S } from "./seals/seal.ts";
import { showSeal } from "./seals/seals.ts";
import { HONEST_LIMIT, HOW_TO_VERIFY, WHAT_THIS_IS } from "./texts.ts";

/** Unsigned seals that `GET /seal` names at most; the newest ones. */
const UNSIGNED_MAX = 1_000;

/** Announcements that `GET /verify` shows at most; the newest ones. `GET /announcements` has them all. */
const ANNOUNCEMENTS_MAX = 100;

const BEYOND_ALL_SEALS = Number.MAX_SAFE_INTEGER;
const BEYOND_ALL_ANNOUNCEMENTS = Number.MAX_SAFE_INTEGER;

interface Which {
  readonly limit?: number | undefined;
  readonly after_seq?: number | undefined;
  readonly before_seq?: number | undefined;
  readonly cursor?: { readonly later: number; readonly seq: number } | undefined;
  readonly with?: "checkpoint" | undefined;
}

/** The verifier that the service offers as one file. */
export interface VerifierFacts {
  /** Of the file, in hex. */
  readonly sha256: string;
  /** Of the release. */
  readonly version: string;
}

/** The public log; null where there is none. */
export interface LogFacts {
  readonly origin: string;
  readonly vkey: string;
  readonly url: string;
  /** A policy with the witnesses that the operator suggests. */
  readonly policy_url: string;
}

/** A checkpoint of the public log, and who has cosigned it. */
interface Checkpoint {
  readonly size: number;
  readonly note: string;
  readonly witnesses: readonly {
    readonly name: string;
    readonly key_id: string;
    readonly time: number;
  }[];
}

/** Reads of the public log. */
interface LogReads {
  /** Of this service. */
  readonly logAt: (read: Db, settings: Context["settings"]) => Promise<LogFacts | null>;
  /** The checkpoints of these sizes. */
  readonly checkpointsAt: (read: Db, sizes: readonly number[]) => Promise<readonly Checkpoint[]>;
  /** The receipt of an entry; null while no published checkpoint holds it. */
  readonly receiptAt: (read: Db, ledger_id: number) => Promise<string | null>;
}

/** `tokenPattern` is what `/verify` publishes for secret scanners; identity owns it. */
export function ledgerHandlers(
  tokenPattern: string,
  { sha256, version }: VerifierFacts,
  { logAt, checkpointsAt, receiptAt }: LogReads,
): Handlers<typeof ledger, Context, Agent> {
  const prove = prover();
  return {
    seals: ({ snapshot, settings }, which) =>
      snapshot(async (read) => ({
        origin: settings.origin,
        ...(await chainState(read)),
        ...(await page(read, which, checkpointsAt)),
        what_this_is: WHAT_THIS_IS,
        honest_limit: HONEST_LIMIT,
        verify: HOW_TO_VERIFY.join(" "),
      })),

    async proof(context, { with: wanted, ...question }) {
      const proof = await prove(context, question);
      if (wanted === undefined) return proof;
      return { ...proof, tlog_proof: await receiptAt(context.read, proof.ledger_id) };
    },

    async announcement({ read, reject }, { id }) {
      const row = await announcementById.first(read, { id });
      if (row === undefined)
        return reject("announcement_not_found", "There is no announcement with this id.");
      return { announcement: row };
    },

    async announcements({ read }, { limit, cursor }) {
      const before_id = cursor?.id ?? BEYOND_ALL_ANNOUNCEMENTS;
      const found = await announcements.all(read, { before_id, limit: limit + 1 });
      return announcementCursor.list("announcements", found, limit);
    },

    async verify({ read, settings }) {
      const keys = await operatorKeys(read);
      return {
        origin: settings.origin,
        public_key: keys.at(-1)?.public_key ?? null,
        algo: "ed25519",
        keys,
        announcements: await announcements.all(read, {
          before_id: BEYOND_ALL_ANNOUNCEMENTS,
          limit: ANNOUNCEMENTS_MAX,
        }),
        how_to_verify: [...HOW_TO_VERIFY],
        token_pattern: tokenPattern,
        verifier: { url: `${settings.baseUrl}/verify.mjs`, sha256, version },
        log: await logAt(read, settings),
      };
    },
  };
}

/** The asked seals in rising order; the newest ones when nothing says where to begin. */
async function page(read: Db, which: Which, checkpointsAt: LogReads["checkpointsAt"]) {
  const { limit: asked, cursor, with: wanted } = which;
  const after_seq = cursor?.later ? cursor.seq : which.after_seq;
  const before_seq = cursor?.later === 0 ? cursor.seq : which.before_seq;
  const limit = asked ?? SEALS_LIMIT_DEFAULT;
  const isPlain = asked === undefined && (which.after_seq ?? which.before_seq) === undefined;
  const rows =
    after_seq === undefined
      ? await sql.sealsBefore.all(read, {
          before_seq: before_seq ?? BEYOND_ALL_SEALS,
          limit: limit + 1,
        })
      : await sql.sealsAfter.all(read, { after_seq, limit: limit + 1 });
  const sizes = rows.map(({ to_id }) => to_id);
  const logged = new Map((await checkpointsAt(read, sizes)).map((each) => [each.size, each]));
  const shown = rows.map((row) => ({
    ...showSeal(row),
    witnesses: [...(logged.get(row.to_id)?.witnesses ?? [])],
    ...(wanted && { checkpoint: logged.get(row.to_id)?.note ?? null }),
  }));
  const max_bytes = isPlain ? NEWEST_SEALS_MAX_BYTES : PAGE_MAX_BYTES;
  const { items, more } = pageOf(shown, limit, max_bytes);
  const last = more ? items.at(-1) : undefined;
  const later = after_seq === undefined ? 0 : 1;
  const next = last === undefined ? null : sealCursor.after({ later, seq: last.seq });
  const seals = items.sort((a, b) => a.seq - b.seq);
  return { seals, count: seals.length, more, next };
}

async function chainState(read: Db) {
  const chain = await sql.sealHead.first(read, {});
  const ledger = await sql.ledgerHead.first(read, {});
  if (chain === undefined || ledger === undefined) throw new Error("The ledger has no head.");
  const head = await sql.sealBySeq.first(read, { seq: chain.last_seq });
  const oldest = await entryById.first(read, { ledger_id: chain.last_to_id + 1 });
  const unsigned = await sql.unsignedSeqs.all(read, { limit: UNSIGNED_MAX });
  const oldest_at = oldest?.at ?? null;
  return {
    total: chain.last_seq,
    head: head === undefined ? null : headOf(showSeal(head)),
    unsigned_seqs: unsigned.map(({ seq }) => seq).reverse(),
    unsealed: {
      entries: ledger.last_id - chain.last_to_id,
      oldest_at,
      seal_by: oldest_at === null ? null : oldest_at + SEALED_WITHIN_S,
    },
    chain_intact: chain.first_broken_seq === null,
    verified_through_seq: chain.verified_through_seq,
    verified_at: chain.verified_at,
    first_broken_seq: chain.first_broken_seq,
  };
}

const headOf = ({ seq, seal_hash, to_id, at, signed }: ReturnType<typeof showSeal>) => ({
  seq,
  seal_hash,
  to_id,
  at,
  signed,
});
