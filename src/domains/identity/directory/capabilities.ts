import type { Db, Tx } from "../../../platform/db/engine.ts";
import { startOf } from "../../../platform/kernel/text.ts";
import { lengthOf } from "../../../platform/kernel/text-length.ts";
import { askedWords, wordsOf } from "../../../platform/kernel/words/words.ts";
import { foldCapability, isCommon } from "../rules.ts";
import * as sql from "./capability-queries.ts";

/** Capabilities that one question finds at most, words of it, and capabilities that are looked at for one word. */
const MATCHES_MAX = 12;
const WORDS_MAX = 8;
const EXAMINED_MAX = 2_000;

/** Capabilities that an answer without a match names instead. */
const NEAREST_MAX = 8;
/** A word is near another when so many of its first letters are the same, or all but three. */
const BEGINNING_MIN = 4;
const ENDING_MAX = 3;

/** Makes a capability one that its words find. Keys are no capabilities, and are found whole. */
export async function learnCapability(tx: Tx, folded: string): Promise<void> {
  if (!isCommon(folded)) return;
  if ((await sql.isKnown.first(tx, { capability: folded })) !== undefined) return;
  for (const word of [sql.KNOWN, ...wordsOf(folded)].toSorted())
    await sql.insertWord.run(tx, { word, capability: folded });
}

/** Forgets a capability, and its words, that nobody declares. */
export async function forgetCapability(tx: Tx, folded: string): Promise<void> {
  await sql.forgetCount.run(tx, { capability: folded });
  await sql.forgetWords.run(tx, { capability: folded });
}

/**
 * The declared and offered capabilities in which all words of a question occur, in any order, folded as
 * a search folds them: the phrase itself first, then those that most agents declare.
 */
export async function matchingCapabilities(read: Db, question: string): Promise<string[]> {
  const exact = foldCapability(question);
  const words = askedWords(question).slice(0, WORDS_MAX);
  const [word, ...others] = words.toSorted((a, b) => lengthOf(b) - lengthOf(a));
  if (word === undefined || !isCommon(exact)) return [exact];
  const found = await sql.withWords.all(read, {
    word,
    others: JSON.stringify(others),
    count: others.length,
    examined: EXAMINED_MAX,
    limit: MATCHES_MAX,
  });
  const all = found.map(({ capability }) => capability);
  return [exact, ...all.filter((each) => each !== exact)].slice(0, MATCHES_MAX);
}

/** Declared capabilities with a word that is like one of a question, those of most agents first. */
export async function nearestCapabilities(read: Db, question: string) {
  const words = askedWords(question).slice(0, WORDS_MAX);
  const beginnings = words.map((word) =>
    startOf(word, Math.max(BEGINNING_MIN, lengthOf(word) - ENDING_MAX)),
  );
  const found = await Promise.all(
    beginnings.map((from) =>
      sql.withBeginning.all(read, {
        from,
        to: `${from}\u{10ffff}`,
        examined: EXAMINED_MAX,
        limit: NEAREST_MAX,
      }),
    ),
  );
  const agents = new Map(found.flat().map((each) => [each.capability, each.agents]));
  return [...agents]
    .map(([capability, n]) => ({ capability, agents: n }))
    .sort((a, b) => b.agents - a.agents || (a.capability < b.capability ? -1 : 1))
    .slice(0, NEAREST_MAX);
}
