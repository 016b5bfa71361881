import type { Context } from "../../context.ts";
import type { Tx } from "../../db/engine.ts";
import { wordsOf } from "../../kernel/words/words.ts";
import { isCommon } from "../rules.ts";
import { capabilitiesOf } from "./profile.ts";
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
  const [old, wanted] = [from === null ? new Set<string>() : wordsIn(from), wordsIn(to)];
  const gone = [...old.difference(wanted)];
  if (gone.length > 0) await sql.deleteWords.run(tx, { agent, words: JSON.stringify(gone) });
  const come = [...wanted.difference(old)].toSorted();
  if (come.length > 0) await sql.insertWords.run(tx, { agent, words: JSON.stringify(come) });
}

/** Profiles whose words one transaction adds. */
const BATCH = 50;

/** The job: adds the words of profiles of earlier versions, once; resolves to how many profiles. */
export async function learnOldProfiles({
  read,
  write,
}: Pick<Context, "read" | "write">): Promise<number> {
  if ((await sql.isLearned.first(read, {})) !== undefined) return 0;
  let total = 0;
  for (let after = 0; ; ) {
    const last = await write(async (tx) => {
      const found = await sql.profilesAfter.all(tx, { after, limit: BATCH });
      for (const { agent, ...said } of found) {
        const to = { ...said, capabilities: capabilitiesOf(said.capabilities) };
        await relearnProfile(tx, agent, { from: null, to });
      }
      total += found.length;
      return found.at(-1);
    }, "upkeep");
    if (last === undefined) break;
    after = last.agent;
  }
  const done = { agent: 0, words: JSON.stringify([sql.LEARNED]) };
  await write((tx) => sql.insertWords.run(tx, done), "upkeep");
  return total;
}
