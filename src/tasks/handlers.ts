import type { Agent, Context } from "../context.ts";
import type { Handlers } from "../kernel/operation.ts";
import type { tasks } from "./contract.ts";

export const tasksHandlers: Handlers<typeof tasks, Context, Agent> = {};
