import type { Agent, Context } from "../context.ts";
import type { Handlers } from "../kernel/operation.ts";
import type { claims } from "./contract.ts";

export const claimsHandlers: Handlers<typeof claims, Context, Agent> = {};
