import * as z from "zod";
import type { ServiceContext } from "../../../platform/context.ts";
import { Rejection } from "../../../platform/kernel/contract/errors.ts";
import { hideApp, unhideApp } from "../../apps/hiding.ts";
import { type Purged, purgeApp } from "../../apps/purging.ts";
import { hidePost, unhidePost } from "../../feed/hiding.ts";
import { flagOffer, unflagOffer } from "../../market/offers/flags.ts";
import { removal } from "../../removals/queries.ts";
import { purgeFile } from "../../repositories/files/purging.ts";
import { removeRequest } from "../../requests/intake.ts";
import { act, demandChange, withLeft } from "../act.ts";
import { id, reasonText, sha256Name } from "../values.ts";
import { decisionOf, through } from "./reports.ts";
import { broken, rule, WHY } from "./said.ts";

const hiding = {
  id: id.describe("its id"),
  rule: rule.optional().describe(broken),
  reason: reasonText.optional().describe("why; public for ever"),
};

/** Nothing is left to show of a text that is erased. */
async function demandNotErased(
  { read }: Pick<ServiceContext, "read">,
  kind: "post" | "app",
  id: number,
): Promise<void> {
  const found = await removal.first(read, { kind, ref: String(id) });
  if (found !== undefined && found.erased_at !== null)
    throw new Rejection(
      "invalid_state",
      `The text of ${kind} ${id} is erased: nothing is left to show.`,
    );
}

export const postHide = act({
  name: "post hide",
  summary: "take a post out of every list and its body out of sight; nothing is deleted",
  about:
    "It ends the reports of the post that you have seen: those up to --through. Newer ones stay open, and are said.",
  input: z.object({ ...hiding, through }),
  operands: ["id"],
  wantsOneOf: WHY,
  effect: "reversible",
  undo: "post unhide",
  async run(context, { id: post_id, through: through_id, ...said }) {
    const decided = await hidePost(context, { post_id, through_id, ...said });
    if (decided === null) throw new Rejection("invalid_state", "This post is hidden already.");
    const { done, left, facts } = decisionOf(post_id, decided);
    const ended = done === null ? "" : ` That ends ${done}.`;
    return {
      ...withLeft(`Post ${post_id} is hidden.${ended}`, left),
      facts: { post_id, hidden: true, ...facts },
    };
  },
});

export const postUnhide = act({
  name: "post unhide",
  summary: "show a hidden post again",
  input: z.object(hiding),
  operands: ["id"],
  effect: "reversible",
  undo: "post hide",
  async run(context, { id: post_id, ...said }) {
    await demandNotErased(context, "post", post_id);
    demandChange(await unhidePost(context, { post_id, ...said }), "This post is not hidden.");
    return { text: `Post ${post_id} is shown again.`, facts: { post_id, hidden: false } };
  },
});

export const appHide = act({
  name: "app hide",
  summary: "take an application out of every list, and its page and words out of sight",
  input: z.object(hiding),
  operands: ["id"],
  wantsOneOf: WHY,
  effect: "reversible",
  undo: "app unhide",
  async run(context, { id: app_id, ...said }) {
    const isHidden = await hideApp(context, { app_id, ...said });
    demandChange(isHidden, "This application is hidden already.");
    return { text: `Application ${app_id} is hidden.`, facts: { app_id, hidden: true } };
  },
});

export const appUnhide = act({
  name: "app unhide",
  summary: "show a hidden application again",
  input: z.object(hiding),
  operands: ["id"],
  effect: "reversible",
  undo: "app hide",
  async run(context, { id: app_id, ...said }) {
    await demandNotErased(context, "app", app_id);
    const isShown = await unhideApp(context, { app_id, ...said });
    demandChange(isShown, "This application is not hidden.");
    return { text: `Application ${app_id} is shown again.`, facts: { app_id, hidden: false } };
  },
});

export const appPurge = act({
  name: "app purge",
  summary: "empty the page of a hidden application for good, which frees its disk space",
  about: "Its hash and size stay, with an entry that says so. It can never be shown again.",
  input: z.object({
    id: id.describe("its id"),
    reason: reasonText.describe("why; public for ever"),
  }),
  operands: ["id"],
  effect: "final",
  async run(context, { id: app_id, reason }) {
    const purged = await purgeApp(context, { app_id, reason });
    if (purged.outcome !== "purged") return refusePurge(purged.outcome);
    const { html_bytes } = purged;
    const text = `The page of application ${app_id} is gone: ${html_bytes} bytes.`;
    return { text, facts: { app_id, html_bytes } };
  },
});

export const offerFlag = act({
  name: "offer flag",
  summary: "mark an offer with the rule that it breaks, so that nobody can order it",
  input: z.object({ ...hiding, rule: rule.describe(broken) }),
  operands: ["id"],
  effect: "reversible",
  async run(context, { id: offer_id, ...said }) {
    const isFlagged = await flagOffer(context, { offer_id, ...said });
    demandChange(isFlagged, "This offer is flagged already.");
    return { text: `Offer ${offer_id} is flagged.`, facts: { offer_id, flagged: said.rule } };
  },
});

export const offerUnflag = act({
  name: "offer unflag",
  summary: "take the mark from an offer, also one that the text check set",
  input: z.object({
    ...hiding,
    rule: rule.describe("the rule that it is flagged for and does not break"),
  }),
  operands: ["id"],
  effect: "reversible",
  async run(context, { id: offer_id, ...said }) {
    demandChange(
      await unflagOffer(context, { offer_id, ...said }),
      "This offer is not flagged for this rule.",
    );
    return {
      text: `Offer ${offer_id} is not flagged any more.`,
      facts: { offer_id, flagged: null },
    };
  },
});

export const requestWithdraw = act({
  name: "request withdraw",
  summary: "take a delegated task from the request board",
  input: z.object({ id: id.describe("its id") }),
  operands: ["id"],
  effect: "final",
  async run(context, { id: request_id }) {
    const isRemoved = await removeRequest(context, request_id);
    demandChange(isRemoved, "This request has an answer, or is withdrawn already.");
    return {
      text: `Request ${request_id} is withdrawn.`,
      facts: { request_id, withdrawn: true },
    };
  },
});

export const filePurge = act({
  name: "file purge",
  summary: "remove a content from every repository for good, which frees its disk space",
  about: "Its hash and size stay, and clones find a sentence in its place.",
  input: z.object({
    sha256: sha256Name.describe("the SHA-256 of the content, as the list of files shows it"),
    reason: reasonText.describe("why; public for ever"),
  }),
  operands: ["sha256"],
  effect: "final",
  async run(context, { sha256, reason }) {
    const purged = await purgeFile(context, { sha256, reason });
    demandChange(
      purged.outcome !== "hidden",
      "This content is hidden: `cairn text erase file` removes it for good.",
    );
    demandChange(purged.outcome === "purged", "This content is removed already.");
    const { bytes, repositories } = { bytes: 0, repositories: 0, ...purged };
    const text = `The content is gone from ${repositories} repositories: ${bytes} bytes.`;
    return { text, facts: { sha256, bytes, repositories } };
  },
});

export const CONTENT_ACTS = [
  filePurge,
  postHide,
  postUnhide,
  appHide,
  appUnhide,
  appPurge,
  offerFlag,
  offerUnflag,
  requestWithdraw,
];

const NOT_PURGED = {
  not_hidden: "This application is not hidden. Hide it first: `cairn app hide`.",
  not_hosted: "This application has no page here.",
  purged_before: "This application is purged already.",
} as const satisfies Record<Exclude<Purged["outcome"], "purged">, string>;

function refusePurge(why: keyof typeof NOT_PURGED): never {
  throw new Rejection("invalid_state", NOT_PURGED[why]);
}
