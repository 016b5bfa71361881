import type { Agent, Context } from "../context.ts";
import type { Handlers } from "../kernel/operation.ts";
import type { treasury } from "./contract.ts";

export const treasuryHandlers: Handlers<typeof treasury, Context, Agent> = {};
