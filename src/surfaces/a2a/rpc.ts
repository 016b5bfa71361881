import { isLegacyJsonRpcMethod, isV1JsonRpcMethod } from "@a2a-js/sdk/compat/v0_3";
import { LegacyJsonRpcTransportHandler } from "@a2a-js/sdk/compat/v0_3/server";
import { A2A_ERROR_CODE, toJsonRpcError, VersionNotSupportedError } from "@a2a-js/sdk/errors";
import * as z from "zod";
import { Rejection } from "../../platform/kernel/contract/errors.ts";
import { majorMinor } from "../describe/agent-card.ts";
import type { Call, Caller, Perform } from "./calls.ts";
import { refusalOf } from "./refusals.ts";

const request = z.object({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string(), z.int(), z.null()]).default(null),
  method: z.string(),
  params: z.unknown().optional(),
});

/** Without a version a client is one of 0.3 (A2A, 3.6.2). */
const VERSIONS: ReadonlySet<string> = new Set(["", "0.3", "1.0"]);

export interface RpcRequest {
  /** Parsed, or why it could not be read. */
  readonly body: { readonly value: unknown } | Rejection;
  /** As the header says it; empty where there is none. */
  readonly version: string;
  readonly query: Readonly<Record<string, unknown>>;
}

/** Answers one request in JSON-RPC, once or as often as a stream has messages; errors are part of the answer. */
export async function answerRpc(
  perform: Perform,
  { body, version, query }: RpcRequest,
  caller: Caller,
): Promise<object | AsyncIterable<unknown>> {
  if (body instanceof Rejection)
    return body.code === "malformed_json"
      ? failed(null, { code: A2A_ERROR_CODE.PARSE_ERROR, message: "Parse error" })
      : failed(null, toJsonRpcError(refusalOf(body)));
  const { success, data } = request.safeParse(body.value);
  if (!success) return failed(null, NO_REQUEST);

  const { id, method, params } = data;
  const spoken = versionIn(method);
  if (spoken === undefined) return failed(id, NO_METHOD);
  if (spoken === "1.0" && !VERSIONS.has(majorMinor(version)))
    return failed(id, toJsonRpcError(new VersionNotSupportedError(OTHER_VERSION)));
  const call = { version: spoken, method, params: params ?? {}, query };
  const outcome = await perform(call, caller);
  if ("results" in outcome) return answersIn(id, outcome.results);
  if ("result" in outcome) return { jsonrpc: "2.0", id, result: outcome.result };
  const wordsOf =
    spoken === "1.0" ? toJsonRpcError : LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError;
  return failed(id, wordsOf(outcome.refusal));
}

/** The same request answered several times. */
async function* answersIn(id: string | number | null, results: AsyncIterable<unknown>) {
  for await (const result of results) yield { jsonrpc: "2.0", id, result };
}

/**
 * The version that has a method of this name. The SDK looks names up in plain objects, which also
 * have a `toString`; but names of 0.3 have a slash, and those of 1.0 begin with a capital.
 */
function versionIn(method: string): Call["version"] | undefined {
  if (method.includes("/") && isLegacyJsonRpcMethod(method)) return "0.3";
  return /^[A-Z]/.test(method) && isV1JsonRpcMethod(method) ? "1.0" : undefined;
}

const failed = (id: string | number | null, error: object) => ({ jsonrpc: "2.0", id, error });

const NO_REQUEST = {
  code: A2A_ERROR_CODE.INVALID_REQUEST,
  message: "Send one JSON-RPC 2.0 request.",
};
const NO_METHOD = {
  code: A2A_ERROR_CODE.METHOD_NOT_FOUND,
  message:
    "The protocol has no method of this name. In 1.0: SendMessage, SendStreamingMessage, GetTask, ListTasks, CancelTask, SubscribeToTask; in 0.3: message/send, message/stream, tasks/get, tasks/cancel, tasks/resubscribe.",
};
const OTHER_VERSION = "Speak A2A 1.0 or 0.3.";
