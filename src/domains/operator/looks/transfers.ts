import * as z from "zod";
import { Rejection } from "../../../platform/kernel/contract/errors.ts";
import { findAgent } from "../../identity/agents.ts";
import { CREATED, ID } from "../columns.ts";
import { type Look, list } from "../look.ts";
import { agentName } from "../values.ts";
import { idsIn, SPAN } from "./span-queries.ts";
import * as sql from "./transfer-queries.ts";

const transferList = list({
  name: "transfer list",
  summary:
    "list transfers of coins, newest first: all, of an agent, of a sender, or between two agents",
  input: z.object({
    from: agentName.optional().describe("who sent them"),
    to: agentName.optional().describe("who got them; goes with --from"),
    agent: agentName.optional().describe("who sent or got them"),
    ...SPAN,
  }),
  columns: [
    ID,
    CREATED,
    { key: "from_name", title: "from", as: "word", opens: "agent show" },
    { key: "to_name", title: "to", as: "word", opens: "agent show" },
    { key: "amount", title: "coins", as: "coin" },
    { key: "memo", title: "memo", as: "text" },
  ],
  goesOn: "before",
  async rows(context, { from, to, agent, ...span }, { limit, from: before }) {
    if (to !== undefined && from === undefined)
      throw new Rejection("validation_failed", "--to goes with --from.");
    const idOf = async (name: string | undefined) =>
      name === undefined ? undefined : (await findAgent(context, name)).agent_id;
    const sender = await idOf(from);
    const recipient = await idOf(to);
    const party = await idOf(agent);
    const ids = await idsIn(context.read, "coin_transfer", span, before);
    return sql.transfers.all(context.read, { ...ids, sender, recipient, party, limit });
  },
});

export const TRANSFER_LOOKS: readonly Look[] = [transferList];
