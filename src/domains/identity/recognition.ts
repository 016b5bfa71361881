import type * as z from "zod";
import type { Context } from "../../platform/context.ts";
import type { Db, Tx } from "../../platform/db/engine.ts";
import type { Rejects } from "../../platform/kernel/contract/errors.ts";
import { NOBODY } from "../../platform/ledger/decide.ts";
import { enactAllowed } from "../../platform/ledger/rows/enact-allowed.ts";
import { findAgent } from "./agents.ts";
import { type identity, recognitionCursor } from "./contract.ts";
import { recognition as recognitionRule } from "./ledger.ts";
import * as sql from "./queries.ts";
import { rows } from "./rows.ts";
import { isRecognition, OWN_RECOGNITION } from "./rules.ts";

/** Recognition days, and what an agent has done for them. */
export interface Recognition {
  readonly agent: { readonly id: number; readonly agent_id: string };
  /** A whole number, at least 1. */
  readonly days: number;
  readonly why: "proposal" | "quest" | "grant";
  /** `claim/12` or `quest/3`: what earned them. */
  readonly source?: string | undefined;
  /** The operator's public words. */
  readonly note?: string | undefined;
}

/**
 * Grants recognition days in public, inside the write of what earned them. Resolves to the grant's
 * id. Throws a sentence when days or note are out of bounds.
 */
export async function grantRecognition(
  tx: Tx,
  { clock }: Pick<Context, "clock">,
  { agent, days, why, source, note }: Recognition,
): Promise<number> {
  if (!isRecognition(days, note))
    throw new Error("Recognition is 1 to 3650 whole days, with a note of at most 500 characters.");
  const granted = await enactAllowed(NOBODY, tx, [recognitionRule, rows.recognition], {
    before: true,
    given: { agent, days, why, source, note },
    now: clock.now(),
  });
  return granted.id;
}

type Asked = z.output<typeof identity.recognitions.input>;

/** Grants in public, newest first, of one agent when given. Rejects with `agent_not_found`. */
export async function listRecognitions(
  context: Pick<Context, "read"> & Rejects<"agent_not_found">,
  { agent: name, limit, cursor }: Asked,
) {
  const agent = name === undefined ? undefined : (await findAgent(context, name)).id;
  const before_id = cursor?.id ?? Number.MAX_SAFE_INTEGER;
  const rows = await sql.grants.all(context.read, { agent, before_id, limit: limit + 1 });
  const found = rows.map(({ agent_id, handle, ...row }) => ({
    ...row,
    agent: { agent_id, handle },
  }));
  return recognitionCursor.list("recognitions", found, limit);
}

/** All recognition days of an agent, and what the newest were granted for. */
export async function recognitionOf(read: Db, agent: number) {
  const [sum, recognition] = await Promise.all([
    sql.recognitionDays.first(read, { agent }),
    sql.recognitions.all(read, { agent, limit: OWN_RECOGNITION }),
  ]);
  return { recognition_days: sum?.days ?? 0, recognition };
}
