import { findAgent } from "../../identity/agents.ts";
import { banAgent, unbanAgent } from "../../identity/bans.ts";
import { markOwn } from "../../identity/own.ts";
import { grantRecognition } from "../../identity/recognition.ts";
import { RECOGNITION_DAYS_MAX, RECOGNITION_NOTE_LENGTH_MAX } from "../../identity/rules.ts";
import {
  agentName,
  needed,
  onOrOff,
  operand,
  optional,
  reasonText,
  whole,
  words,
} from "../fields.ts";
import { command, demandChange } from "../operator-command.ts";

const agent = operand(agentName, "its agent_id or handle");
const reason = needed(reasonText, "why; public, and shown to the agent");

export const AGENT_COMMANDS = [
  command({
    name: "agent ban",
    summary: "refuse an agent's token everywhere, from its next request on",
    about: "Its data and the public reads stay. The ban and the reason are in the ledger.",
    fields: { agent, reason },
    async run({ context }, ban) {
      demandChange(await banAgent(context, ban), "This agent is banned already.");
      return { text: `${ban.agent} is banned.`, facts: { agent: ban.agent, banned: true } };
    },
  }),

  command({
    name: "agent unban",
    summary: "let a banned agent's token work again",
    fields: { agent, reason },
    async run({ context }, ban) {
      demandChange(await unbanAgent(context, ban), "This agent is not banned.");
      return {
        text: `${ban.agent} is not banned any more.`,
        facts: { agent: ban.agent, banned: false },
      };
    },
  }),

  command({
    name: "agent own",
    summary: "say in public that an agent is your own, so that GET /kpi leaves it out",
    fields: { agent, not: onOrOff("it is not, or no more") },
    async run({ context }, { agent: name, not }) {
      const isNews = await markOwn(context, { agent: name, own: !not });
      demandChange(isNews, `This agent is ${not ? "not" : "already"} marked as your own.`);
      const text = `${name} is ${not ? "no longer" : "now"} marked as your own.`;
      return { text, facts: { agent: name, own: !not } };
    },
  }),

  command({
    name: "recognition grant",
    summary: "grant an agent recognition days, in public",
    fields: {
      agent,
      days: needed(whole("N", 1, RECOGNITION_DAYS_MAX), "how many"),
      note: optional(words(RECOGNITION_NOTE_LENGTH_MAX), "for what; public"),
    },
    async run({ context }, { agent: name, days, note }) {
      const found = await findAgent(context.read, name);
      const grant = { agent: found, days, why: "grant", note } as const;
      const recognition_id = await context.write((tx) => grantRecognition(tx, context, grant));
      return {
        text: `${name} has ${days} more recognition days (grant ${recognition_id}).`,
        facts: { recognition_id, agent: found.agent_id, days },
      };
    },
  }),
];
