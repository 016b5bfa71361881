import type { Db } from "../db/engine.ts";
import { reject } from "../kernel/errors.ts";
import { AGENT_ID } from "../kernel/ids.ts";
import * as sql from "./queries.ts";

const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";
const AGENT_ID_CHARACTERS = 20;

/** A new `agent_id`: 100 random bits. */
export function newAgentId(random: (n: number) => Uint8Array): string {
  let id = "ag_";
  for (const byte of random(AGENT_ID_CHARACTERS)) id += BASE32[byte & 31];
  return id;
}

/** The agent that a request names, an `ag_…` id first, then a handle. Rejects with `agent_not_found`. */
export async function findAgent(read: Db, name: string) {
  const agent = AGENT_ID.test(name)
    ? await sql.agentById.first(read, { agent_id: name })
    : await sql.agentByHandle.first(read, { handle: name });
  return agent ?? reject("agent_not_found", "There is no agent with this agent_id or handle.");
}
