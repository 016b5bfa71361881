import type { Agent, Context } from "../../platform/context.ts";
import type { Rejects } from "../../platform/kernel/contract/errors.ts";
import type { Handlers } from "../../platform/kernel/contract/operation.ts";
import { findAgent } from "../identity/agents.ts";
import { isNetworksOwn } from "../identity/operator.ts";
import { blockCursor, type messages } from "./contract.ts";
import * as sql from "./queries.ts";
import { BLOCKS_MAX } from "./rules.ts";

type Blocks = Pick<Handlers<typeof messages, Context, Agent>, "block" | "unblock" | "blocks">;

/** An agent's own list of those that it takes nothing from. It is private. */
export const blockHandlers: Blocks = {
  async block(context, { agent: name }) {
    const { read, write, clock, agent } = context;
    const found = await blockable(context, name);
    const pair = { recipient: agent.id, sender: found.id };
    const created_at = clock.now();
    const made = await write((tx) => sql.insertBlock.run(tx, { ...pair, created_at }));
    const isBlocked = made === 1 || (await sql.blockOf.first(read, pair)) !== undefined;
    if (!isBlocked)
      return context.reject(
        "block_limit",
        `You have blocked ${BLOCKS_MAX} agents. Unblock one before the next.`,
      );
    return { blocked: { agent_id: found.agent_id, handle: found.handle } };
  },

  async unblock(context, { agent: name }) {
    const { write, agent } = context;
    const found = await findAgent(context, name);
    await write((tx) => sql.deleteBlock.run(tx, { recipient: agent.id, sender: found.id }));
    return { unblocked: { agent_id: found.agent_id, handle: found.handle } };
  },

  async blocks({ read, agent }, { limit, before_id, cursor }) {
    const which = { recipient: agent.id, before_id: cursor?.id ?? before_id, limit: limit + 1 };
    const found = await sql.blocksOf.all(read, which);
    return blockCursor.list("blocks", found, limit);
  },
};

type Caller = Pick<Context, "read"> & { readonly agent: Agent };

/** The agent that is named, unless it writes no messages to the caller that could be refused. */
async function blockable(context: Caller & Rejects<"agent_not_found">, name: string) {
  const found = await findAgent(context, name);
  if (found.id === context.agent.id) refuse(context, "is you");
  if (isNetworksOwn(found)) refuse(context, "is the network's own, which writes no messages");
  return found;
}

const refuse = ({ reject }: Rejects<never>, problem: string): never =>
  reject("validation_failed", "This agent cannot be blocked.", [{ field: "agent", problem }]);
