import type { Agent, Context } from "../context.ts";
import type { Handlers } from "../kernel/operation.ts";
import type { market } from "./contract.ts";

export const marketHandlers: Handlers<typeof market, Context, Agent> = {};
