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
import { PARTS_MAX } from "../../domains/requests/rules.ts";
import type { Rejection } from "../../platform/kernel/contract/errors.ts";
import { agentCard } from "../describe/agent-card.ts";
import {
  type Board,
  cancelTask,
  getTask,
  listTasks,
  NO_PUSH,
  sendMessage,
  takeMessage,
} from "./delegation.ts";
import { strayIn } from "./marks.ts";
import { MESSAGE_FORM, OLDER_MESSAGE_FORM, refusalOf, TOO_MANY_PARTS } from "./refusals.ts";
import { subscribe, type Watcher, watchTask } from "./watching.ts";

/** A method of the protocol, by its name in that version, with parameters as they came. */
export interface Call {
  readonly version: "1.0" | "0.3";
  readonly method: string;
  readonly params: unknown;
  /** Of its address. */
  readonly query: Readonly<Record<string, unknown>>;
}

export interface Caller extends Watcher {
  /** The caller's view of an error; any other error is reported to the operator alone. */
  readonly hear: (error: unknown) => Rejection;
}

/** The result as JSON, in the form of the method's version, or several; or why there is none. */
type Outcome =
  | { readonly result: unknown }
  | { readonly results: AsyncIterable<unknown> }
  | { readonly refusal: A2AError };

export type Perform = (call: Call, caller: Caller) => Promise<Outcome>;

/**
 * How calls are performed, whatever binding they came by: the SDK's codecs read parameters and write
 * results, in both versions, and our own functions stand behind them.
 */
export function performOf(board: Board): Perform {
  const card = AgentCard.fromJSON(agentCard(board.baseUrl));
  return async ({ version, method, params, query }, { hear, ...watcher }) => {
    const refusals: A2AError[] = [];
    const refuse = (error: unknown): never => {
      const refusal = error instanceof A2AError ? error : refusalOf(hear(error));
      refusals.push(refusal);
      throw refusal;
    };
    if (isCrowded(params)) return { refusal: new RequestMalformedError(TOO_MANY_PARTS) };
    const stray = strayIn(params, query);
    if (stray !== null) return { refusal: stray };
    const Transport = version === "0.3" ? LegacyJsonRpcTransportHandler : JsonRpcTransportHandler;
    const { agent_id: userName } = watcher.agent;
    const answer = await new Transport(handlerOf(board, { ...watcher, card, refuse })).handle(
      { jsonrpc: "2.0", id: null, method, params: withoutNoState(params) },
      new ServerCallContext({ user: { isAuthenticated: true, userName } }),
    );
    if (!("jsonrpc" in answer)) return begun(answer, refusals);
    if (answer.error === undefined) return { result: answer.result };
    const [refusal = inOurWords(answer.error, { version, method })] = refusals;
    return { refusal };
  };
}

/** The official client says so of a state that its caller has left out. */
const NO_STATE = "UNRECOGNIZED";

function withoutNoState(params: unknown): unknown {
  const { status, ...others } = Object(params);
  return status === NO_STATE ? others : params;
}

/** Whether a message has too many parts: the SDK would make an object of each. */
function isCrowded(params: unknown): boolean {
  const { parts } = Object(Object(params).message);
  return Array.isArray(parts) && parts.length > PARTS_MAX;
}

/** A stream is an answer once it has its first message: what goes wrong before is a refusal. */
async function begun(
  messages: AsyncGenerator<object, void, undefined>,
  refusals: readonly A2AError[],
): Promise<Outcome> {
  try {
    const first = await messages.next();
    return { results: resultsOf(first, messages) };
  } catch (error) {
    const [refusal] = refusals;
    if (refusal === undefined) throw error;
    return { refusal };
  }
}

async function* resultsOf(
  first: IteratorResult<object, void>,
  others: AsyncGenerator<object, void, undefined>,
): AsyncGenerator<unknown, void> {
  try {
    for (let next = first; next.done !== true; next = await others.next())
      if ("result" in next.value) yield next.value.result;
  } finally {
    await others.return();
  }
}

interface Serving extends Watcher {
  readonly card: AgentCard;
  /** Throws the caller's error. */
  readonly refuse: (error: unknown) => never;
}

/** The interface through which the SDK's transports reach the board. */
function handlerOf(board: Board, { card, refuse, ...watcher }: Serving): A2ARequestHandler {
  const { agent, sender } = watcher;
  async function* refusing<T>(events: AsyncGenerator<T, void, undefined>) {
    try {
      yield* events;
    } catch (error) {
      refuse(error);
    }
  }
  const noPush = () => refuse(new PushNotificationNotSupportedError(NO_PUSH));
  return {
    getAgentCard: async () => card,
    getAuthenticatedExtendedAgentCard: () =>
      refuse(new ExtendedAgentCardNotConfiguredError("There is one card, and it is public.")),
    sendMessage: (params) => sendMessage(board, { agent, sender }, params).catch(refuse),
    getTask: (params) => getTask(board, agent, params).catch(refuse),
    listTasks: (params) => listTasks(board, agent, params).catch(refuse),
    cancelTask: (params) => cancelTask(board, { agent, sender }, params).catch(refuse),
    sendMessageStream: (params) => {
      const begin = () => takeMessage(board, { agent, sender }, params);
      return refusing(watchTask(board, watcher, begin));
    },
    resubscribe: ({ id }) => refusing(subscribe(board, watcher, id)),
    createTaskPushNotificationConfig: noPush,
    getTaskPushNotificationConfig: noPush,
    listTaskPushNotificationConfigs: noPush,
    deleteTaskPushNotificationConfig: noPush,
  };
}

/** The SDK's own refusals may quote what was sent, or tell of the machinery. */
function inOurWords(error: unknown, call: Pick<Call, "version" | "method">): A2AError {
  const { code } = Object(error);
  return code === A2A_ERROR_CODE.UNSUPPORTED_OPERATION
    ? new UnsupportedOperationError("This is not supported here.")
    : new RequestMalformedError(`The parameters do not fit this method: ${formOf(call)}.`);
}

/** Parameters that a method takes. */
function formOf({ version, method }: Pick<Call, "version" | "method">): string {
  if (/^(?:Send|message)/.test(method))
    return `{"message": ${version === "1.0" ? MESSAGE_FORM : OLDER_MESSAGE_FORM}}`;
  return /^List/.test(method) ? '{"pageSize": 20}' : '{"id": "the id of your task"}';
}
