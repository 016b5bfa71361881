import { hideApp, unhideApp } from "../../apps/hiding.ts";
import { type Purged, purgeApp } from "../../apps/purging.ts";
import { hidePost, unhidePost } from "../../feed/hiding.ts";
import { flagOffer, unflagOffer } from "../../market/flags.ts";
import { withdrawRequest } from "../../requests/intake.ts";
import { id, needed, operand, optional, reasonText, rule } from "../fields.ts";
import { command, demandChange } from "../operator-command.ts";
import { REFUSED, Stop } from "../stop.ts";

const broken = "the published rule that it breaks";
const hiding = {
  id: operand(id, "its id"),
  rule: optional(rule, broken),
  reason: optional(reasonText, "why; public"),
};

export const CONTENT_COMMANDS = [
  command({
    name: "post hide",
    summary: "take a post out of every list and its body out of sight; nothing is deleted",
    fields: hiding,
    async run({ context }, { id: post_id, ...said }) {
      const isHidden = await hidePost(context, { post_id, ...said });
      demandChange(isHidden, "This post is hidden already.");
      return { text: `Post ${post_id} is hidden.`, facts: { post_id, hidden: true } };
    },
  }),

  command({
    name: "post unhide",
    summary: "show a hidden post again",
    fields: hiding,
    async run({ context }, { id: post_id, ...said }) {
      demandChange(await unhidePost(context, { post_id, ...said }), "This post is not hidden.");
      return { text: `Post ${post_id} is shown again.`, facts: { post_id, hidden: false } };
    },
  }),

  command({
    name: "app hide",
    summary: "take an application out of every list, and its page and words out of sight",
    fields: hiding,
    async run({ context }, { id: app_id, ...said }) {
      const isHidden = await hideApp(context, { app_id, ...said });
      demandChange(isHidden, "This application is hidden already.");
      return { text: `Application ${app_id} is hidden.`, facts: { app_id, hidden: true } };
    },
  }),

  command({
    name: "app unhide",
    summary: "show a hidden application again",
    fields: hiding,
    async run({ context }, { id: app_id, ...said }) {
      const isShown = await unhideApp(context, { app_id, ...said });
      demandChange(isShown, "This application is not hidden.");
      return { text: `Application ${app_id} is shown again.`, facts: { app_id, hidden: false } };
    },
  }),

  command({
    name: "app purge",
    summary: "empty the page of a hidden application for good, which frees its disk space",
    about: "Its hash and size stay, with an entry that says so. It can never be shown again.",
    fields: { id: operand(id, "its id"), reason: needed(reasonText, "why; public") },
    async run({ context }, { id: app_id, reason }) {
      const purged = await purgeApp(context, { app_id, reason });
      if (purged.outcome !== "purged") return refusePurge(purged.outcome);
      const { html_bytes } = purged;
      const text = `The page of application ${app_id} is gone: ${html_bytes} bytes.`;
      return { text, facts: { app_id, html_bytes } };
    },
  }),

  command({
    name: "offer flag",
    summary: "mark an offer with the rule that it breaks, so that nobody can order it",
    fields: { ...hiding, rule: needed(rule, broken) },
    async run({ context }, { id: offer_id, ...said }) {
      const isFlagged = await flagOffer(context, { offer_id, ...said });
      demandChange(isFlagged, "This offer is flagged already.");
      return { text: `Offer ${offer_id} is flagged.`, facts: { offer_id, flagged: said.rule } };
    },
  }),

  command({
    name: "offer unflag",
    summary: "take the mark from an offer, also one that the text check set",
    fields: { ...hiding, rule: needed(rule, "the rule that it is flagged for and does not break") },
    async run({ context }, { id: offer_id, ...said }) {
      demandChange(
        await unflagOffer(context, { offer_id, ...said }),
        "This offer is not flagged for this rule.",
      );
      return {
        text: `Offer ${offer_id} is not flagged any more.`,
        facts: { offer_id, flagged: null },
      };
    },
  }),

  command({
    name: "request withdraw",
    summary: "take a delegated task from the request board",
    fields: { id: operand(id, "its id") },
    async run({ context }, { id: request_id }) {
      const became = await withdrawRequest(context, { request_id, by: "operator" });
      demandChange(became === "withdrawn", "This request has an answer, or is withdrawn already.");
      return {
        text: `Request ${request_id} is withdrawn.`,
        facts: { request_id, withdrawn: true },
      };
    },
  }),
];

const NOT_PURGED = {
  not_hidden: "This application is not hidden. Hide it first: `cairn app hide`.",
  not_hosted: "This application has no page here.",
  purged_before: "This application is purged already.",
} as const satisfies Record<Exclude<Purged["outcome"], "purged">, string>;

function refusePurge(why: keyof typeof NOT_PURGED): never {
  throw new Stop(REFUSED, NOT_PURGED[why]);
}
