import * as z from "zod";
import { dismissReports } from "../../feed/reports.ts";
import { act, demandChange } from "../act.ts";
import { id, words } from "../values.ts";

const NOTE_LENGTH_MAX = 500;

export const reportDismiss = act({
  name: "report dismiss",
  summary: "end the open reports of a post that breaks no rule; nobody is notified",
  about:
    "It is private: it makes no entry, and the reporters are not notified. A report that comes later is open.\n`cairn post hide` ends the reports of a post that breaks a rule.",
  input: z.object({
    post: id.describe("the post's id"),
    through: id
      .optional()
      .describe("the last report to end, as report show lists them; default: all"),
    note: words(NOTE_LENGTH_MAX).optional().describe("for yourself; private"),
  }),
  operands: ["post"],
  effect: "reversible",
  async run(context, { post: post_id, through: through_id = Number.MAX_SAFE_INTEGER, note }) {
    const reports = await dismissReports(context, { post_id, through_id, note });
    demandChange(reports > 0, "This post has no open report.");
    const text = `${reports} ${reports === 1 ? "report" : "reports"} on post ${post_id} ${reports === 1 ? "is" : "are"} dismissed.`;
    return { text, facts: { post_id, reports } };
  },
});
