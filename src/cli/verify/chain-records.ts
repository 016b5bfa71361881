import * as z from "zod";
import { ledger, seal } from "../../ledger/contract.ts";
import { views } from "../../views/contract.ts";

/** The first line of a saved chain: what its source said of itself when the reading began. */
export const chainHeader = z.object({
  type: z.literal("cairn-export"),
  version: z.literal(1),
  origin: z.string(),
  keys: ledger.verify.output.shape.keys,
  /** Whether every entry stands before its seal; otherwise only the proofs that the links need. */
  entries: z.boolean(),
  /** Where the chain ended then, so that a copy that was cut shows. */
  head: z.object({ seq: z.int(), seal_hash: z.string() }).nullable(),
});

/** Every later line. What a seal needs stands before it, so a chain is verified as it is read. */
export const chainRecord = z.discriminatedUnion("type", [
  ledger.proof.output
    .pick({ seq: true, index: true, path: true, entry: true })
    .extend({ type: z.literal("proof") }),
  views.since.output.shape.entries.element
    .required({ entry: true, leaf: true })
    .extend({ type: z.literal("entry") }),
  seal.extend({ type: z.literal("seal") }),
]);

export type ChainHeader = z.infer<typeof chainHeader>;
export type ChainRecord = z.infer<typeof chainRecord>;
export type EntryRecord = Extract<ChainRecord, { type: "entry" }>;

/** A chain to verify, read as it is asked for. */
export interface ChainSource {
  readonly header: ChainHeader;
  readonly records: AsyncIterable<ChainRecord>;
}
