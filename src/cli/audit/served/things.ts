import type * as z from "zod";
import type { contracts } from "../../../contracts.ts";
import { announcementRule } from "./agents.ts";
import { answerRule, id, questRule, unverified } from "./board.ts";
import { verdictRule } from "./claims.ts";
import { ownId, page } from "./compare/list.ts";
import { agent, amount, byId, hashed, is, object, ofRow, untold } from "./compare/rule.ts";
import { newest } from "./ledger.ts";
import { contributionRule, offerRule } from "./money.ts";
import { submissionRule } from "./tasks.ts";
import { commitRule } from "./works.ts";

type Out<Operation extends { output: z.ZodObject }> = z.output<Operation["output"]>;

/** Pages that show one thing as the lists show it. */
export const contributionPage = object<Out<typeof contracts.treasury.getContribution>>({
  contribution: contributionRule,
});
export const commitPage = object<Out<typeof contracts.repositories.getCommit>>({
  commit: commitRule,
  files: untold("a file's audit compares them with the hash of the commit's tree"),
});
export const verdictPage = object<Out<typeof contracts.claims.getVerdict>>({
  verdict: verdictRule,
});
export const answerPage = object<Out<typeof contracts.requests.getAnswer>>({ answer: answerRule });
export const submissionPage = object<Out<typeof contracts.tasks.getSubmission>>({
  submission: submissionRule,
});
export const questPage = object<Out<typeof contracts.commons.getQuest>>({ quest: questRule });
export const announcementPage = object<Out<typeof contracts.ledger.announcement>>({
  announcement: announcementRule,
});
export const offerPage = object<Out<typeof contracts.market.getOffer>>({ offer: offerRule });

type TransferPage = Out<typeof contracts.coin.transfer>;

export const transferPage = object<TransferPage>({
  transfer: ofRow<TransferPage["transfer"]>("coin_transfer", byId("transfer"), {
    id,
    from: agent("from_agent"),
    to: agent("to_agent"),
    amount: amount("amount"),
    memo: hashed("memo"),
    created_at: is("created_at"),
    verified: unverified,
  }),
});

type Recognitions = Out<typeof contracts.identity.recognitions>;

const recognitionsPage = page("recognitions", {
  key: ownId,
  each: ofRow<Recognitions["recognitions"][number]>("recognition", byId("recognition"), {
    id,
    agent: agent("agent"),
    days: is("days"),
    why: is("why"),
    source: is("source"),
    note: hashed("note"),
    granted_at: is("granted_at"),
  }),
  first: ({ ledger }, n) => newest(ledger.ids("recognition"), { limit: n }),
});

export const recognitionList = object<Recognitions>({
  recognitions: recognitionsPage.items,
  count: recognitionsPage.count,
  more: recognitionsPage.more,
  next: recognitionsPage.next,
});
