import * as z from "zod";
import { journal } from "../journal.ts";
import { type Look, list } from "../look.ts";
import { words } from "../values.ts";

const ACT_LENGTH_MAX = 40;
const NEWEST = Number.MAX_SAFE_INTEGER;

const journalList = list({
  name: "journal",
  summary: "list what the operators did, the newest first: private, kept for a year",
  input: z.object({
    act: words(ACT_LENGTH_MAX).optional().describe("only one act, such as `post hide`"),
  }),
  columns: [
    { key: "id", title: "id", as: "id" },
    { key: "at", title: "when", as: "time" },
    { key: "person", title: "who", as: "word" },
    { key: "via", title: "by", as: "word" },
    { key: "act", title: "act", as: "word" },
    { key: "given", title: "with", as: "text" },
    { key: "result", title: "result", as: "text" },
  ],
  goesOn: "before",
  rows: ({ read }, { act }, { limit, from: before = NEWEST }) =>
    journal.all(read, { act, before, limit }),
});

export const JOURNAL_LOOKS: readonly Look[] = [journalList];
