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

/** The same body again and again, under refs that end with these numbers. */
export function counted(
  history: History,
  kind: string,
  { body, of, numbers }: { body: Body; of: string; numbers: readonly number[] },
): History {
  for (const n of numbers) history.add(kind, body, `${of}/${n}`);
  return history;
}
