import { ACTS } from "../../domains/operator/acts/acts.ts";
import { agentBan } from "../../domains/operator/acts/agents.ts";
import { postHide } from "../../domains/operator/acts/contents.ts";
import { LOOKS } from "../../domains/operator/looks/looks.ts";
import type { Command } from "../command/command.ts";
import { AGENT_COMMANDS } from "./agents.ts";
import { ALARM_COMMANDS } from "./alarm.ts";
import { ERASE_COMMANDS } from "./erase.ts";
import { LOG_COMMANDS } from "./log.ts";
import { lookCommand } from "./look-command.ts";
import { MARKET_COMMANDS } from "./market.ts";
import { NETWORK_COMMANDS } from "./network.ts";
import { actCommand } from "./operator-command.ts";
import { POST_COMMANDS } from "./posts.ts";
import { REBUILD_COMMANDS } from "./rebuild.ts";
import { REGISTRATION_COMMANDS } from "./registrations.ts";
import { WITNESS_COMMANDS } from "./witness.ts";
import { WORK_COMMANDS } from "./work.ts";

const OWN: readonly Command[] = [
  ...NETWORK_COMMANDS,
  ...LOG_COMMANDS,
  ...WITNESS_COMMANDS,
  ...AGENT_COMMANDS,
  ...REGISTRATION_COMMANDS,
  ...WORK_COMMANDS,
  ...MARKET_COMMANDS,
  ...REBUILD_COMMANDS,
  ...POST_COMMANDS,
  ...ERASE_COMMANDS,
  ...ALARM_COMMANDS,
];

/** The commands of the same names take many agents and posts. */
const FOLDED = ACTS.filter((act) => act !== agentBan && act !== postHide);

/** What the operator sees and does; those of one first word stand together. None of it is done over HTTP. */
export const OPERATOR_COMMANDS: readonly Command[] = [
  ...Map.groupBy([...OWN, ...FOLDED.map(actCommand), ...LOOKS.map(lookCommand)], ({ name }) =>
    name.slice(0, name.indexOf(" ")),
  ).values(),
].flat();
