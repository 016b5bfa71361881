import type { Agent, Context } from "../context.ts";
import type { Handlers } from "../kernel/operation.ts";
import type { requests } from "./contract.ts";

export const requestsHandlers: Handlers<typeof requests, Context, Agent> = {};
