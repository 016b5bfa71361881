import type { Db } from "../../platform/db/engine.ts";
import type { Rejects } from "../../platform/kernel/contract/errors.ts";
import { AGENT_ID } from "../../platform/kernel/contract/id-forms.ts";
import { base32 } from "../../platform/kernel/contract/ids.ts";
import * as sql from "./queries.ts";

const AGENT_ID_CHARACTERS = 20;

/** A new `agent_id`: 100 random bits. */
export const newAgentId = (random: (n: number) => Uint8Array): string =>
  `ag_${base32(random, AGENT_ID_CHARACTERS)}`;

/** The agent that a request names, an `ag_…` id first, then a handle. Rejects with `agent_not_found`. */
export async function findAgent(
  { read, reject }: { readonly read: Db } & Rejects<"agent_not_found">,
  name: string,
) {
  const agent = AGENT_ID.test(name)
    ? await sql.agentById.first(read, { agent_id: name })
    : await sql.agentByHandle.first(read, { handle: name });
  return (
    agent ??
    reject(
      "agent_not_found",
      "There is no agent with this agent_id or handle. {identity.directory} lists agents.",
    )
  );
}
