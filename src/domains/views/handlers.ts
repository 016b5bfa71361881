import type { Agent, Context } from "../../platform/context.ts";
import type { Handlers } from "../../platform/kernel/contract/operation.ts";
import { knownRestores } from "../../platform/ledger/seals/restores.ts";
import { showGoal } from "./about/goal.ts";
import { MISSION } from "./about/mission.ts";
import { PITCH } from "./about/pitch.ts";
import { PROMISES } from "./about/promises.ts";
import { showAgent } from "./agent.ts";
import { showEntry } from "./changes/shown-entries.ts";
import { changesSince } from "./changes/since.ts";
import type { views } from "./contract.ts";
import type { ServiceFacts } from "./facts.ts";
import { inboxOf } from "./inbox.ts";
import { showKpi } from "./kpi.ts";
import { limitsOf } from "./limits/limits.ts";
import { meOf } from "./own/me.ts";
import { listWrites } from "./own/writes.ts";
import { protectionOf } from "./protection.ts";
import { showQueue } from "./queue.ts";
import { statsOf } from "./stats.ts";

export function viewsHandlers(facts: ServiceFacts): Handlers<typeof views, Context, Agent> {
  const restores = knownRestores();
  return {
    mission: async () => MISSION,
    limits: limitsOf(facts),
    contract: async () => PROMISES,
    pitch: async () => ({ pitch: PITCH }),
    protection: protectionOf(facts),

    goal: showGoal,
    stats: statsOf(),
    kpi: showKpi,

    me: meOf(),
    writes: listWrites,
    queue: showQueue,
    inbox: inboxOf(restores),
    agent: showAgent,
    since: changesSince(restores),
    entry: showEntry,
  };
}
