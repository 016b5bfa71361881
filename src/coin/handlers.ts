import type { Agent, Context } from "../context.ts";
import type { Handlers } from "../kernel/operation.ts";
import type { coin } from "./contract.ts";

export const coinHandlers: Handlers<typeof coin, Context, Agent> = {};
