import * as z from "zod";
import { cursorOf } from "../kernel/contract/cursor.ts";
import { integer, limit, rowId } from "../kernel/contract/ids.ts";
import { domain, operation } from "../kernel/contract/operation.ts";

import { more } from "../kernel/contract/page.ts";
import { CONSTANT, written } from "../kernel/text.ts";

const SEALS_LIMIT_MAX = 1_000;
export const SEALS_LIMIT_DEFAULT = 100;
/** What the newest seals come to where no number is asked for: some hosts cut an answer at 60,000 characters. */
export const NEWEST_SEALS_MAX_BYTES = 40_000;

/** Of the seals after one or, where `later` is 0, before one. */
export const sealCursor = cursorOf("z", "later", "seq");

const hex64 = z.string().describe("64 lower-case hex characters");

export const seal = z.object({
  seq: z.int(),
  at: z.int(),
  count: z.int(),
  root: hex64,
  prev_root: hex64.nullable(),
  from_id: z.int(),
  to_id: z.int(),
  signature: z.string().nullable(),
  pubkey: z.string().nullable(),
  algo: z.literal("ed25519"),
  signed_at: z.int().nullable(),
  signed: z.boolean(),
  origin: z.string(),
  prev_seal: hex64.nullable(),
  log_root: hex64,
  seal_hash: hex64,
});

const listedSeal = seal.extend({
  witnesses: z
    .array(z.object({ name: z.string(), key_id: z.string(), time: z.int() }))
    .describe("Who has cosigned the public log at this seal, and when."),
  checkpoint: z
    .string()
    .nullable()
    .optional()
    .describe("With with=checkpoint: the signed checkpoint of the public log at this seal."),
});

/** Of announcements, newest first. */
export const announcementCursor = cursorOf("nb", "id");

const step = z.object({ side: z.enum(["left", "right"]), hash: hex64 });

const announcement = z.object({
  id: z.int(),
  at: z.int(),
  kind: z.string(),
  title: z.string(),
  body: z.string(),
  signed_message: z.string(),
  signature: z.string(),
  rewards_per_hour: z
    .int()
    .nullable()
    .describe("The number that it sets for the whole network; 0 switches it off."),
  rate_limit_per_minute: z
    .int()
    .nullable()
    .describe("The requests per minute that each node takes from an agent; 0: no limit."),
});

const operations = {
  seals: operation({
    method: "GET",
    path: "/seal",
    auth: "none",
    timeless: true,
    tool: "seal_list",
    summary: "The chain of signed Merkle roots over the ledger.",
    input: z
      .object({
        limit: integer(1, SEALS_LIMIT_MAX)
          .optional()
          .meta({ default: SEALS_LIMIT_DEFAULT, description: "How many seals at most." }),
        after_seq: integer(0, Number.MAX_SAFE_INTEGER)
          .optional()
          .describe("Only later seals, oldest first."),
        before_seq: integer(1, Number.MAX_SAFE_INTEGER)
          .optional()
          .describe("Only earlier seals, newest first."),
        cursor: sealCursor.cursor,
        with: z
          .literal("checkpoint")
          .optional()
          .describe("Adds checkpoint: the public log at each seal."),
      })
      .refine((sent) => sent.after_seq === undefined || sent.before_seq === undefined, {
        path: ["before_seq"],
        message: "send after_seq or before_seq, not both",
      })
      .refine(
        (sent) => sent.cursor === undefined || (sent.after_seq ?? sent.before_seq) === undefined,
        {
          path: ["cursor"],
          message: "send cursor or a seq, not both",
        },
      ),
    output: z.object({
      origin: z.string(),
      chain_intact: z.boolean(),
      head: z
        .object({
          seq: z.int(),
          seal_hash: hex64,
          to_id: z.int(),
          at: z.int(),
          signed: z.boolean(),
        })
        .nullable(),
      total: z.int(),
      unsealed: z.object({
        entries: z.int(),
        oldest_at: z.int().nullable(),
        seal_by: z.int().nullable(),
      }),
      verified_through_seq: z.int(),
      verified_at: z.int().nullable(),
      first_broken_seq: z.int().nullable(),
      unsigned_seqs: z.array(z.int()),
      count: z.int(),
      more,
      next: sealCursor.next,
      seals: z.array(listedSeal),
      what_this_is: z.string().meta(CONSTANT),
      honest_limit: z.string().meta(CONSTANT),
      verify: z.string().meta(CONSTANT),
    }),
    errors: [],
  }),

  proof: operation({
    method: "GET",
    path: "/seal/proof",
    auth: "none",
    timeless: true,
    tool: "seal_proof_get",
    summary: "The path from one ledger entry to the root of its seal.",
    input: z
      .object({
        seq: rowId.optional().describe("The number of the seal."),
        kind: z
          .string()
          .regex(/^[a-z][a-z_]{1,39}$/, "must be an entry kind")
          .optional()
          .describe("The entry's kind, as changes_since shows it."),
        // Most refs are digits, which callers know as a number.
        id: z
          .union(
            [z.string().regex(/^[A-Za-z0-9_/-]{1,128}$/), z.int().positive().transform(String)],
            {
              error: "must be the ref of an entry",
            },
          )
          .optional()
          .describe("The entry's ref, as changes_since shows it."),
        index: integer(0, Number.MAX_SAFE_INTEGER)
          .optional()
          .describe("Where it stands in the seal, from 0."),
        with: z
          .literal("tlog")
          .optional()
          .describe("Adds tlog_proof, the receipt of the public log."),
      })
      .refine(
        (sent) =>
          (sent.kind !== undefined && sent.id !== undefined) ||
          (sent.seq !== undefined && sent.index !== undefined),
        "send kind and id, which /entry/{id} shows for a ledger id; or seq with index",
      )
      .refine(
        (sent) => (sent.kind === undefined && sent.id === undefined) || sent.index === undefined,
        "send kind and id, or index: they may name two entries",
      ),
    output: z.object({
      leaf: hex64,
      path: z.array(step),
      root: hex64,
      seq: z.int(),
      index: z.int(),
      count: z.int(),
      ledger_id: z.int(),
      kind: z.string(),
      ref: z.string(),
      entry: written,
      seal,
      signed_message: z.string().nullable(),
      tlog_proof: z
        .string()
        .nullable()
        .optional()
        .describe("A c2sp.org/tlog-proof; null while no published checkpoint holds the entry."),
    }),
    errors: ["seal_not_found", "entry_not_found", "not_sealed_yet", "not_in_seal"],
  }),

  announcement: operation({
    method: "GET",
    path: "/announcement/{id}",
    auth: "none",
    timeless: true,
    item: "announcement_get",
    summary: "One announcement of the operator, with its signature.",
    input: z.object({ id: rowId.describe("The id of an announcement.") }),
    output: z.object({ announcement }),
    errors: ["announcement_not_found"],
  }),

  announcements: operation({
    method: "GET",
    path: "/announcements",
    auth: "none",
    timeless: true,
    document: "announcements",
    summary: "What the operator has announced and signed, newest first.",
    input: z.object({ limit, cursor: announcementCursor.cursor }),
    output: z.object({
      announcements: z.array(announcement),
      count: z.int(),
      more,
      next: announcementCursor.next,
    }),
    errors: [],
  }),

  verify: operation({
    method: "GET",
    path: "/verify",
    auth: "none",
    timeless: true,
    document: "verify",
    summary: "The operator's public key, its signed announcements, and how to verify offline.",
    input: z.object({}),
    output: z.object({
      origin: z.string(),
      public_key: z.string().nullable(),
      algo: z.literal("ed25519"),
      keys: z.array(
        z.object({
          public_key: z.string(),
          from_seq: z.int(),
          to_seq: z.int().nullable(),
          anchored: z.boolean(),
        }),
      ),
      announcements: z.array(announcement),
      how_to_verify: z.array(z.string()),
      token_pattern: z.string(),
      verifier: z
        .object({ url: z.string(), sha256: hex64, version: z.string() })
        .describe("The verifier as one file; compare its hash with the release notes."),
      log: z
        .object({ origin: z.string(), vkey: z.string(), url: z.string(), policy_url: z.string() })
        .nullable()
        .describe(
          "The public log, where there is one: its name, its key, its address, and a policy with the witnesses that the operator suggests.",
        ),
    }),
    errors: [],
  }),
};

export const ledger = domain({
  summary: "The sealed record of everything public, and its proofs.",
  operations,
  shapes: { Seal: listedSeal, Announcement: announcement },
});
