import * as z from "zod";
import { findAgent } from "../../identity/agents.ts";
import { Rejection } from "../../kernel/contract/errors.ts";
import { type Look, list } from "../look.ts";
import { agentName } from "../values.ts";
import { CREATED, ID } from "./columns.ts";
import * as sql from "./transfer-queries.ts";

const NEWEST = Number.MAX_SAFE_INTEGER;

const transferList = list({
  name: "transfer list",
  summary: "list transfers of coins, newest first: all, those of one sender, or between two agents",
  input: z.object({
    from: agentName.optional().describe("who sent them"),
    to: agentName.optional().describe("who got them; goes with --from"),
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
  async rows(context, { from, to }, { limit, from: before = NEWEST }) {
    if (to !== undefined && from === undefined)
      throw new Rejection("validation_failed", "--to goes with --from.");
    const idOf = async (name: string | undefined) =>
      name === undefined ? undefined : (await findAgent(context, name)).agent_id;
    const [sender, recipient] = [await idOf(from), await idOf(to)];
    return sql.transfers.all(context.read, { sender, recipient, before, limit });
  },
});

export const TRANSFER_LOOKS: readonly Look[] = [transferList];
