import type { Tx } from "../../platform/db/engine.ts";
import { type Change, type Removable, removable, type TextsOf } from "../removals/removable.ts";
import { forgetCapability } from "./directory/capabilities.ts";
import { capabilitiesOf, relist } from "./directory/profile.ts";
import { relearnProfile } from "./directory/profile-words.ts";
import * as entries from "./entries.ts";
import * as sql from "./queries.ts";
import { foldCapability } from "./rules.ts";

const saidIn = (texts: TextsOf) => ({
  name: texts["name"] ?? null,
  purpose: texts["purpose"] ?? null,
  capabilities: capabilitiesOf(texts["capabilities"] ?? null),
});

/** The directory finds the agent no longer by its removed texts. */
async function follow(tx: Tx, { parts, from, to }: Change): Promise<void> {
  const agent = await sql.agentById.first(tx, { agent_id: parts["agent"] ?? "" });
  if (agent === undefined) return;
  const { last_seen_at = 0 } = (await sql.presenceOf.first(tx, { agent: agent.id })) ?? {};
  const said = { from: saidIn(from), to: saidIn(to) };
  const lists = { from: said.from.capabilities, to: said.to.capabilities };
  await relist(tx, agent.id, lists, last_seen_at);
  await relearnProfile(tx, agent.id, said);
  for (const capability of lists.from.map(foldCapability).sort())
    await forgetCapability(tx, capability);
}

export const PROFILE_TEXTS = {
  profile: removable({
    kind: entries.profile,
    table: "profile",
    row: { agent: "agent", version: "n" },
    texts: { name: null, purpose: null, capabilities: null },
    follow,
  }),
} as const satisfies Readonly<Record<string, Removable>>;

/** Its entry has the handle itself and no hash of it, so it can be withheld and not erased. */
export const HANDLES = removable({
  kind: entries.agent,
  table: "agent",
  row: { id: "agent" },
  texts: { handle: null },
  keeps: async () => "The ledger has a handle in the clear, so it can be hidden and not erased.",
});
