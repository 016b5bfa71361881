import { AgentCard } from "@a2a-js/sdk";
import { LegacyJsonRpcTransportHandler } from "@a2a-js/sdk/compat/v0_3/server";
import {
  A2A_ERROR_CODE,
  A2AError,
  ExtendedAgentCardNotConfiguredError,
  PushNotificationNotSupportedError,
  RequestMalformedError,
  UnsupportedOperationError,
} from "@a2a-js/sdk/errors";
import {
  type A2ARequestHandler,
  JsonRpcTransportHandler,
  ServerCallContext,
} from "@a2a-js/sdk/server";
import type { Rejection } from "../../kernel/errors.ts";
import { agentCard } from "../describe/agent-card.ts";
import {
  type Asker,
  type Board,
  cancelTask,
  getTask,
  listTasks,
  NO_PUSH,
  sendMessage,
} from "./delegation.ts";
import { refusalOf } from "./refusals.ts";

/** A method of the protocol, by its name in that version, with parameters as they came. */
export interface Call {
  readonly version: "1.0" | "0.3";
  readonly method: string;
  readonly params: unknown;
}

export interface Caller extends Asker {
  /** What it hears of an error; what is no `Rejection` is told to the operator and to nobody else. */
  readonly hear: (error: unknown) => Rejection;
}

/** The result as JSON, in the form of the method's version; or why there is none. */
type Outcome = { readonly result: unknown } | { readonly refusal: A2AError };

export type Perform = (call: Call, caller: Caller) => Promise<Outcome>;

/**
 * How calls are performed, whatever binding they came by: the SDK's codecs read parameters and write
 * results, in both versions, and our own functions stand behind them.
 */
export function performOf(board: Board): Perform {
  const card = AgentCard.fromJSON(agentCard(board.baseUrl));
  return async ({ version, method, params }, { agent, sender, hear }) => {
    const refusals: A2AError[] = [];
    const refuse = (error: unknown): never => {
      const refusal = error instanceof A2AError ? error : refusalOf(hear(error));
      refusals.push(refusal);
      throw refusal;
    };
    const Transport = version === "0.3" ? LegacyJsonRpcTransportHandler : JsonRpcTransportHandler;
    const answer = await new Transport(handlerOf(board, { agent, sender, card, refuse })).handle(
      { jsonrpc: "2.0", id: null, method, params },
      new ServerCallContext({ user: { isAuthenticated: true, userName: agent.agent_id } }),
    );
    if (!("jsonrpc" in answer)) throw new Error("Nothing here streams.");
    if (answer.error === undefined) return { result: answer.result };
    const [refusal = inOurWords(answer.error)] = refusals;
    return { refusal };
  };
}

interface Serving extends Asker {
  readonly card: AgentCard;
  /** Throws what the caller will hear. */
  readonly refuse: (error: unknown) => never;
}

/** The interface through which the SDK's transports reach the board. */
function handlerOf(board: Board, { agent, sender, card, refuse }: Serving): A2ARequestHandler {
  const noStream = () => refuse(new UnsupportedOperationError(NO_STREAM));
  const noPush = () => refuse(new PushNotificationNotSupportedError(NO_PUSH));
  return {
    getAgentCard: async () => card,
    getAuthenticatedExtendedAgentCard: () =>
      refuse(new ExtendedAgentCardNotConfiguredError("There is one card, and it is public.")),
    sendMessage: (params) => sendMessage(board, { agent, sender }, params).catch(refuse),
    getTask: (params) => getTask(board, agent, params).catch(refuse),
    listTasks: (params) => listTasks(board, agent, params).catch(refuse),
    cancelTask: (params) => cancelTask(board, agent, params).catch(refuse),
    sendMessageStream: noStream,
    resubscribe: noStream,
    createTaskPushNotificationConfig: noPush,
    getTaskPushNotificationConfig: noPush,
    listTaskPushNotificationConfigs: noPush,
    deleteTaskPushNotificationConfig: noPush,
  };
}

/** The SDK's own refusals may quote what was sent, or tell of the machinery. */
function inOurWords(error: unknown): A2AError {
  const { code } = Object(error);
  return code === A2A_ERROR_CODE.UNSUPPORTED_OPERATION
    ? new UnsupportedOperationError(NO_STREAM)
    : new RequestMalformedError("The parameters do not fit this method.");
}

const NO_STREAM = "Nothing is streamed here. Ask again with GetTask.";
