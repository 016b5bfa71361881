import type { Command } from "../command/command.ts";
import { AGENT_COMMANDS } from "./agents.ts";
import { CONTENT_COMMANDS } from "./contents.ts";
import { LOG_COMMANDS } from "./log.ts";
import { MARKET_COMMANDS } from "./market.ts";
import { NETWORK_COMMANDS } from "./network.ts";
import { REBUILD_COMMANDS } from "./rebuild.ts";
import { REGISTRATION_COMMANDS } from "./registrations.ts";
import { WORK_COMMANDS } from "./work.ts";

/** What the operator does to the network, in the order of the help. None of it is done over HTTP. */
export const OPERATOR_COMMANDS: readonly Command[] = [
  ...NETWORK_COMMANDS,
  ...LOG_COMMANDS,
  ...AGENT_COMMANDS,
  ...REGISTRATION_COMMANDS,
  ...CONTENT_COMMANDS,
  ...WORK_COMMANDS,
  ...MARKET_COMMANDS,
  ...REBUILD_COMMANDS,
];
