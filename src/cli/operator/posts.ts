import * as z from "zod";
import { postHide } from "../../domains/operator/acts/contents.ts";
import { through } from "../../domains/operator/acts/reports.ts";
import { broken, rule } from "../../domains/operator/acts/said.ts";
import { agentName, file, id, reasonText, whole, words } from "../../domains/operator/values.ts";
import { hideMany, onePost } from "./bulk-hide.ts";
import { operatorCommand } from "./operator-command.ts";

const MATCHING_LENGTH_MAX = 200;

export const POST_COMMANDS = [
  operatorCommand({
    name: postHide.name,
    summary: postHide.summary,
    about:
      "Instead of ID, --agent, --file or --matching mean many: without --yes they are counted, 20 are shown, and\nnothing is changed. 500 are hidden in each write; the same command finishes what was cut off. A hiding ends the reports that you have seen.",
    input: z.object({
      id: id.optional().describe("its id"),
      rule: rule.optional().describe(broken),
      reason: reasonText.optional().describe("why; public for ever"),
      agent: agentName.optional().describe("all posts of one agent"),
      file: file.optional().describe("posts, their ids parted by white space; - is standard input"),
      matching: words(MATCHING_LENGTH_MAX)
        .optional()
        .describe("posts with all of these words, as the search finds them"),
      through,
      yes: whole("COUNT", 1, Number.MAX_SAFE_INTEGER)
        .optional()
        .describe("hide them; their count, as shown"),
    }),
    operands: ["id"],
    async run({ service: { context }, values: { rule: broke, reason, through, yes, ...target } }) {
      const one = onePost(target, yes);
      if (one === null) return hideMany(context, { ...target, rule: broke, reason, through, yes });
      return postHide.run(context, { id: one, rule: broke, reason, through });
    },
  }),
];
