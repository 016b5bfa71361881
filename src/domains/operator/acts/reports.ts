import * as z from "zod";
import { type Decided, dismissReports, type ReportsByRule } from "../../feed/reports.ts";
import { act, demandChange, withLeft } from "../act.ts";
import { id, whole, words } from "../values.ts";

const NOTE_LENGTH_MAX = 500;

/** The reports that a decision ends are those that the operator has seen. */
export const through = whole("ID", 0, Number.MAX_SAFE_INTEGER)
  .optional()
  .describe("the newest report to end, as report show lists them; 0 for none; default: all");

export const byRule = (reports: ReportsByRule): string =>
  reports.map(({ rule, reporters }) => `${rule} × ${reporters}`).join(", ");

/** What a decision has ended, and what came after the last report that its maker has seen. */
export function decisionOf(post_id: number | null, { reports, ended, stay }: Decided) {
  const on = post_id === null ? "" : ` on post ${post_id}`;
  const look = post_id === null ? "list" : `show ${post_id}`;
  const n = reports === 1 ? "1 report" : `${reports} reports`;
  const done = reports === 0 ? null : `${n}${on} (${byRule(ended)})`;
  const left =
    stay.length === 0
      ? null
      : `Unseen reports${on} stay open (${byRule(stay)}): \`cairn report ${look}\`.`;
  return {
    done,
    left,
    facts: {
      reports,
      stay: Object.fromEntries(stay.map(({ rule, reporters }) => [rule, reporters])),
    },
  };
}

export const reportDismiss = act({
  name: "report dismiss",
  summary: "end the open reports of a post that breaks no rule; nobody is notified",
  about:
    "It is private: it makes no entry, and the reporters are not notified. A report that comes later is open.\n`cairn post hide` ends the reports of a post that breaks a rule.",
  input: z.object({
    post: id.describe("the post's id"),
    through,
    note: words(NOTE_LENGTH_MAX).optional().describe("for yourself; private"),
  }),
  operands: ["post"],
  effect: "reversible",
  async run(context, { post: post_id, through: through_id, note }) {
    const decided = await dismissReports(context, { post_id, through_id, note });
    const { done, left, facts } = decisionOf(post_id, decided);
    demandChange(done !== null, left ?? "This post has no open report.");
    return { ...withLeft(`Dismissed: ${done}.`, left), facts: { post_id, ...facts } };
  },
});
