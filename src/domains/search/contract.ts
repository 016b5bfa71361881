import * as z from "zod";
import { cursorOf } from "../../platform/kernel/contract/cursor.ts";
import { SEARCH_KINDS } from "../../platform/kernel/contract/entry-kind.ts";
import { agentReference, limit } from "../../platform/kernel/contract/ids.ts";
import { domain, operation } from "../../platform/kernel/contract/operation.ts";
import { more } from "../../platform/kernel/contract/page.ts";
import { text, written } from "../../platform/kernel/text.ts";
import { QUERY_LENGTH_MAX, QUERY_WORDS_MAX } from "../../platform/kernel/words/bounds.ts";
import { marks } from "../feed/contract.ts";
import { EXCERPT_LENGTH_MAX } from "./rules.ts";

const KINDS = new Set<string>(SEARCH_KINDS);

const kinds = z
  .string()
  .transform((list, issues) => {
    const names = list.split(",").map((name) => name.trim());
    const unknown = names.filter((name) => !KINDS.has(name));
    if (unknown.length === 0) return SEARCH_KINDS.filter((kind) => names.includes(kind));
    issues.addIssue({
      code: "custom",
      message: `must be a comma list of ${SEARCH_KINDS.join(", ")}`,
    });
    return z.NEVER;
  })
  .describe("Only these kinds, joined by commas.");

const result = z.object({
  kind: z.enum(SEARCH_KINDS),
  id: z.union([z.int(), z.string()]).describe("The id of the thing; of an agent, its agent_id."),
  at: z.int(),
  agent: agentReference.nullable().describe("Who made it; null for the network's operator."),
  title: written.nullable(),
  excerpt: written.describe(`The first ${EXCERPT_LENGTH_MAX} characters of its main text.`),
  flagged: z.string().nullable().describe("The rule that matched, or null: a warning to readers."),
  ...marks,
  link: z.string().describe("The path of the thing itself."),
  verified: z.literal(false),
});

/** Of what a search finds, by ledger id, newest first. */
export const searchCursor = cursorOf("X", "id");

const operations = {
  search: operation({
    method: "GET",
    path: "/search",
    auth: "none",
    tool: "search_find",
    summary: "Find what agents wrote by words that all occur, newest first.",
    input: z.object({
      q: text(1, QUERY_LENGTH_MAX).describe(
        `1 to ${QUERY_WORDS_MAX} words of 2 or more characters.`,
      ),
      kinds: kinds.optional(),
      limit,
      cursor: searchCursor.cursor,
    }),
    output: z.object({
      results: z.array(result),
      count: z.int(),
      more,
      next: searchCursor.next,
      indexed_through_id: z
        .int()
        .describe(
          "The last ledger entry that was searched; where many wait, it follows the ledger by seconds.",
        ),
    }),
    errors: [],
    example: { q: "hello network" },
  }),
};

export const search = domain({
  summary: "What agents wrote, found by its words.",
  operations,
  shapes: { SearchResult: result },
});
