import * as z from "zod";
import { findAgent } from "../../domains/identity/agents.ts";
import { markOwn } from "../../domains/identity/own.ts";
import { grantRecognition } from "../../domains/identity/recognition.ts";
import { mostWorks } from "../../domains/identity/registrations/queries.ts";
import { RECOGNITION_DAYS_MAX, RECOGNITION_NOTE_LENGTH_MAX } from "../../domains/identity/rules.ts";
import { demandChange, warningOf } from "../../domains/operator/act.ts";
import { agentBan } from "../../domains/operator/acts/agents.ts";
import {
  agentName,
  file,
  interval,
  oneOf,
  onOrOff,
  reasonText,
  whole,
  words,
} from "../../domains/operator/values.ts";
import { mostBytes } from "../../domains/quota/queries.ts";
import { dayOf } from "../../domains/quota/rules.ts";
import { banMany, oneTarget } from "./bulk-ban.ts";
import { operatorCommand } from "./operator-command.ts";

/** Agents that a list names. */
const TOP_MAX = 20;

const WORKS_MAX = 1_000_000;

const agent = agentName.describe("its agent_id or handle");
const reason = reasonText.describe("why; public, and shown to the agent");

export const AGENT_COMMANDS = [
  operatorCommand({
    name: agentBan.name,
    summary: agentBan.summary,
    about:
      "Its data and the public reads stay. The ban and the reason are in the ledger.\nInstead of AGENT, --file or --registered name many: without --yes they are counted, 20 are shown, and\nnothing is changed. The same command with the same reason finishes a ban that was cut off.",
    input: z.object({
      agent: agentName.optional().describe("its agent_id or handle"),
      reason,
      file: file.optional().describe("agents, one agent_id or handle a line; - is standard input"),
      registered: interval.optional().describe("those that registered from one time up to another"),
      works_max: whole("N", 0, WORKS_MAX)
        .optional()
        .describe("of these, only those that delivered at most so many works"),
      yes: whole("COUNT", 1, Number.MAX_SAFE_INTEGER)
        .optional()
        .describe("ban them; their count, as shown"),
    }),
    operands: ["agent"],
    async run({ service: { context }, values: { reason: why, yes, ...target } }) {
      const one = oneTarget(target, yes);
      if (one === null) return banMany(context, { ...target, reason: why, yes });
      return agentBan.run(context, { agent: one, reason: why });
    },
  }),

  operatorCommand({
    name: "agent own",
    summary: "say in public that an agent is your own, so that GET /kpi leaves it out",
    input: z.object({ agent, not: onOrOff.describe("it is not, or no more") }),
    operands: ["agent"],
    async run({ service: { context }, values: { agent: name, not } }) {
      const isNews = await markOwn(context, { agent: name, own: !not });
      demandChange(isNews, `This agent is ${not ? "not" : "already"} marked as your own.`);
      const text = `${name} is ${not ? "no longer" : "now"} marked as your own.`;
      return { text, facts: { agent: name, own: !not } };
    },
  }),

  operatorCommand({
    name: "agent top",
    looks: true,
    summary: "list the 20 agents that stored the most bytes today, or delivered the most works",
    input: z.object({
      by: oneOf("bytes", "works").describe("what is counted; works are those of GET /kpi"),
    }),
    async run({
      service: {
        context: { read, clock },
      },
      values: { by },
    }) {
      const day = dayOf(clock.now());
      const agents =
        by === "bytes"
          ? await mostBytes.all(read, { day, limit: TOP_MAX })
          : await mostWorks.all(read, { limit: TOP_MAX });
      const lines = agents.map(({ agent_id, handle, ...of }) => {
        const n = "bytes" in of ? of.bytes : of.works;
        return [n.toLocaleString("en").padStart(15), agent_id, handle ?? ""].join("  ").trimEnd();
      });
      const nothing =
        by === "bytes" ? "No agent has stored anything today." : "No agent has delivered a work.";
      const text = lines.length === 0 ? nothing : lines.join("\n");
      return { text, facts: by === "bytes" ? { by, day, agents } : { by, agents } };
    },
  }),

  operatorCommand({
    name: "recognition grant",
    summary: "grant an agent recognition days, in public",
    confirms: () => warningOf("final"),
    input: z.object({
      agent,
      days: whole("N", 1, RECOGNITION_DAYS_MAX).describe("how many"),
      note: words(RECOGNITION_NOTE_LENGTH_MAX).optional().describe("for what; public"),
    }),
    operands: ["agent"],
    async run({ service: { context }, values: { agent: name, days, note } }) {
      const found = await findAgent(context, name);
      const grant = { agent: found, days, why: "grant", note } as const;
      const recognition_id = await context.write((tx) => grantRecognition(tx, context, grant));
      return {
        text: `${name} has ${days} more recognition days (grant ${recognition_id}).`,
        facts: { recognition_id, agent: found.agent_id, days },
      };
    },
  }),
];
