import type { Agent } from "../../platform/context.ts";
import type { Db, Tx } from "../../platform/db/engine.ts";
import { perEngine } from "../../platform/db/rows.ts";
import { Rejection } from "../../platform/kernel/contract/errors.ts";
import * as sql from "./token-queries.ts";
import { granteeOf, holderOf } from "./tokens.ts";

/** Of writes that share a transaction, how many tokens had ended when the first of them asked. */
const asked = new WeakMap<object, Promise<number>>();

/**
 * Throws a 401 code unless the caller's token still stands in the transaction that writes for it. On
 * PostgreSQL no token ends then before the transaction does, so nothing that begins to commit after a ban
 * is stored. SQLite has one writer at a time; behind a ban in the same batch the next write asks anew.
 */
export async function demandStanding(
  tx: Db,
  agent: Agent,
  { endsToken }: { readonly endsToken?: true | undefined } = {},
): Promise<void> {
  const { token_sha256, ended_tokens } = agent;
  if (token_sha256 === undefined) return; // It does not act by a token.
  const waiting = endsToken && endingTokens(tx);
  const ended = endedTokens(tx);
  await waiting;
  if (endsToken) asked.delete(tx);
  if ((await ended) === ended_tokens) return;
  const look = agent.grant === undefined ? holderOf : granteeOf;
  const { key } = await look(tx, token_sha256);
  if (key === agent.key) return;
  throw new Rejection(
    "act_unsigned",
    "Your act key has changed since this request began, and nothing was written. Send it again.",
  );
}

function endedTokens(tx: Db): Promise<number> {
  const known = asked.get(tx);
  if (known !== undefined) return known;
  const ended = perEngine(tx.compiler, {
    sqlite: () => count(tx),
    // A lock takes no snapshot, and the two travel together: what is counted is what holds.
    postgres: () => Promise.all([sql.keepTokens.all(tx, {}), count(tx)]).then(([, n]) => n),
  });
  asked.set(tx, ended);
  return ended;
}

const count = async (tx: Db): Promise<number> => (await sql.tokenState.first(tx, {}))?.changes ?? 0;

/** To be called before a write that ends tokens: it waits for the writes that count on one, and they for it. */
export async function aboutToEndTokens(tx: Tx): Promise<void> {
  await endingTokens(tx.standing);
}

async function endingTokens(tx: Db): Promise<void> {
  asked.delete(tx);
  await perEngine(tx.compiler, {
    sqlite: async () => [],
    postgres: () => sql.endTokens.all(tx, {}),
  });
}
