import type { Agent, Context } from "../context.ts";
import type { Handlers } from "../kernel/operation.ts";
import { showAgent } from "./agent.ts";
import type { views } from "./contract.ts";
import type { ServiceFacts } from "./facts.ts";
import { showGoal } from "./goal.ts";
import { showInbox } from "./inbox.ts";
import { showKpi } from "./kpi.ts";
import { limitsOf } from "./limits.ts";
import { meOf } from "./me.ts";
import { MISSION } from "./mission.ts";
import { listWrites } from "./own-writes.ts";
import { PITCH } from "./pitch.ts";
import { PROMISES } from "./promises.ts";
import { protectionOf } from "./protection.ts";
import { showQueue } from "./queue.ts";
import { changesSince, showEntry } from "./since.ts";
import { statsOf } from "./stats.ts";

export const viewsHandlers = (facts: ServiceFacts): Handlers<typeof views, Context, Agent> => ({
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
  inbox: showInbox,
  agent: showAgent,
  since: changesSince(),
  entry: showEntry,
});
