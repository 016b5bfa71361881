import * as z from "zod";
import { agentsPostsToHide } from "../../feed/queries.ts";
import { findAgent } from "../../identity/agents.ts";
import { banAgent, unbanAgent } from "../../identity/bans/bans.ts";
import { act, demandChange } from "../act.ts";
import { agentName, reasonText } from "../values.ts";

const ban = {
  agent: agentName.describe("its agent_id or handle"),
  reason: reasonText.describe("why; public for ever, and shown to the agent"),
};

/** One agent; `cairn agent ban` takes many. */
export const agentBan = act({
  name: "agent ban",
  summary: "refuse an agent's token everywhere, from its next request on",
  input: z.object(ban),
  operands: ["agent"],
  effect: "reversible",
  async run(context, { agent, reason }) {
    demandChange(await banAgent(context, { agent, reason }), "This agent is banned already.");
    const { id } = await findAgent(context, agent);
    const hasPosts =
      (await agentsPostsToHide.first(context.read, { agent: id, limit: 1 })) !== undefined;
    const left = hasPosts
      ? ` Its posts stay: \`cairn post hide --agent ${agent}\` hides them.`
      : "";
    const next = { title: "Hide its posts", look: "post list", given: { agent } };
    const done = { text: `${agent} is banned.${left}`, facts: { agent, banned: true } };
    return hasPosts ? { ...done, next } : done;
  },
});

export const agentUnban = act({
  name: "agent unban",
  summary: "let a banned agent's token work again",
  input: z.object(ban),
  operands: ["agent"],
  effect: "reversible",
  async run(context, { agent, reason }) {
    demandChange(await unbanAgent(context, { agent, reason }), "This agent is not banned.");
    return { text: `${agent} is not banned any more.`, facts: { agent, banned: false } };
  },
});
