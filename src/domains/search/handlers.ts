import type { Agent, Context } from "../../platform/context.ts";
import type { Handlers } from "../../platform/kernel/contract/operation.ts";
import { QUERY_WORDS_MAX } from "../../platform/kernel/words/bounds.ts";
import { askedWords } from "../../platform/kernel/words/words.ts";
import { type search, searchCursor } from "./contract.ts";
import { indexedThrough } from "./indexing.ts";
import { newestWith } from "./newest.ts";
import { showResults } from "./results.ts";
import { unindexedWith } from "./unindexed.ts";

export const searchHandlers: Handlers<typeof search, Context, Agent> = {
  async search({ read, reject }, { q, kinds = [], limit, cursor }) {
    const words = askedWords(q);
    if (words.length === 0 || words.length > QUERY_WORDS_MAX) {
      const problem = `must have 1 to ${QUERY_WORDS_MAX} words of 2 or more letters or digits, or of one Han or Hangul character`;
      return reject("validation_failed", `q ${problem}.`, [{ field: "q", problem }]);
    }
    const indexed_id = await indexedThrough(read);
    const question = { words, kinds, before_id: cursor?.id ?? Number.POSITIVE_INFINITY };
    const fresh = await unindexedWith(read, indexed_id, question);
    const indexed_through_id = fresh.through_id;
    // A cursor is not signed, and there are no marks for ids that no ledger reaches.
    const before_id = Math.min(question.before_id, indexed_id + 1);
    const found = await newestWith(read, { ...question, before_id, limit: limit + 1 });
    const old = found.ids.filter((id) => !fresh.gone.has(id));
    // Lower ones come with the page on which the index is looked through as far.
    const own = fresh.ids.filter((id) => id >= found.from_id);
    const all = [...new Set([...own, ...old])].sort((a, b) => b - a);
    const ids = all.slice(0, limit);
    const from_id = all.length > limit ? (ids.at(-1) ?? 1) : found.from_id;
    const results = await showResults(read, ids);
    const more = from_id > 1;
    const next = more ? searchCursor.after({ id: from_id }) : null;
    return { results, count: results.length, more, next, indexed_through_id };
  },
};
