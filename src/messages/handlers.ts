import type { Agent, Context } from "../context.ts";
import type { Handlers } from "../kernel/operation.ts";
import type { messages } from "./contract.ts";

export const messagesHandlers: Handlers<typeof messages, Context, Agent> = {};
