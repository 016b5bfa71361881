import type { Tx } from "../../../platform/db/engine.ts";
import { wordsOf } from "../../../platform/kernel/words/words.ts";
import { isCommon } from "../rules.ts";
import * as sql from "./word-queries.ts";

/** What an agent says of itself, by which `q` finds it. */
export interface Said {
  readonly name: string | null;
  readonly purpose: string | null;
  readonly capabilities: readonly string[];
}

const wordsIn = ({ name, purpose, capabilities }: Said): ReadonlySet<string> =>
  new Set(wordsOf([name ?? "", ...capabilities.filter(isCommon), purpose ?? ""].join("\n")));

/** Brings an agent's words from one profile to another. */
export async function relearnProfile(
  tx: Tx,
  agent: number,
  { from, to }: { readonly from: Said | null; readonly to: Said },
): Promise<void> {
  const old = from === null ? new Set<string>() : wordsIn(from);
  const wanted = wordsIn(to);
  const gone = [...old.difference(wanted)];
  if (gone.length > 0) await sql.deleteWords.run(tx, { agent, words: JSON.stringify(gone) });
  const come = [...wanted.difference(old)].toSorted();
  if (come.length > 0) await sql.insertWords.run(tx, { agent, words: JSON.stringify(come) });
}
