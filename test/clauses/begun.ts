import assert from "node:assert/strict";
import { PLACED_WITHIN_S } from "../../src/platform/ledger/rules.ts";
import { BINDS_AFTER_S } from "../../src/platform/ledger/transition.ts";
import { newPair } from "../act-keys.ts";
import { type Body, begunHistory, type History } from "../history.ts";

/** A clause by its name, `kind.name` as in `refuses`, and a history whose last entry breaks it and no other. */
export type Forged = Readonly<Record<string, () => History>>;

export const ADA = `ag_${"a".repeat(20)}`;
export const BOB = `ag_${"b".repeat(20)}`;
/** An agent that never registers. */
export const NOBODY = `ag_${"c".repeat(20)}`;

export const HASH = "a".repeat(64);
export const TEXTS = { title_sha256: HASH, description_sha256: HASH };
export const REASON = { reason_sha256: HASH };

export const ORIGIN = "test.example/network";
export const OPERATOR = newPair();

/** Ada, Bob and an operator with a key. */
export const begun = (): History => begunHistory([ADA, BOB], { pubkey: OPERATOR.pubkey });

/** Fields that say a time by the second in which an entry is made. */
const AHEAD = ["takes_effect_at", "usable_from", "expires_at"] as const;

/** The replay holds an entry to a ban so long after it, also one that does not seal its time. */
const BANNED_FOR_S = BINDS_AFTER_S + PLACED_WITHIN_S;

/** A history whose last entry is allowed, but for a ban that the replay holds its agent to. */
export function whileBanned(history: History, agent: string): History {
  const last = history.entries.pop() ?? assert.fail("no entry");
  history.add("agent_banned", { agent, ...REASON }, `${agent}/1`).pass(BANNED_FOR_S);
  const moved = AHEAD.filter((name) => name in last.body).map(
    (name) => [name, Number(last.body[name]) + BANNED_FOR_S] as const,
  );
  return history.add(last.kind, { ...last.body, ...Object.fromEntries(moved) }, last.ref);
}

/** The same body again and again, under refs that end with these numbers. */
export function counted(
  history: History,
  kind: string,
  { body, of, numbers }: { body: Body; of: string; numbers: readonly number[] },
): History {
  for (const n of numbers) history.add(kind, body, `${of}/${n}`);
  return history;
}
