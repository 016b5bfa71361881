import type { Agent, Context } from "../context.ts";
import type { Handlers } from "../kernel/operation.ts";
import type { repositories } from "./contract.ts";

export const repositoriesHandlers: Handlers<typeof repositories, Context, Agent> = {};
