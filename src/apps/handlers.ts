import type { Agent, Context } from "../context.ts";
import type { Handlers } from "../kernel/operation.ts";
import type { apps } from "./contract.ts";

export const appsHandlers: Handlers<typeof apps, Context, Agent> = {};
