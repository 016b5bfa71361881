import { ProtocolError, ProtocolErrorCode, type Result } from "@modelcontextprotocol/server";
import * as z from "zod";
import { CairnError } from "../../client/index.ts";
import { jsonOf, reasonOf } from "../../client/transport.ts";
import { failure } from "../../platform/kernel/contract/failure.ts";
import { MCP } from "../../surfaces/describe/fixed-routes.ts";
import { refusal } from "./results.ts";

const REVISION = "2026-07-28";
/** Tools end their answers at about 16,000 bytes, and lists with a limit at 1 MiB. */
const ANSWER_MAX_BYTES = 2 * 1024 * 1024;
/** `changes_since` may hold its answer for 25 s. */
const PATIENCE_MS = 60_000;

/** A message of the host, to be passed on. */
export interface Passed {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

/** Resolves to the network's result. Rejects with the protocol's own errors. */
export type AskRemote = (token: string, message: Passed) => Promise<Result>;

const answer = z.union([
  z.object({ result: z.looseObject({}) }),
  z.object({
    error: z.object({ code: z.int(), message: z.string(), data: z.unknown().optional() }),
  }),
  failure,
]);

/** Passes messages on to the endpoint of a network, each a request of its own. */
export const remoteAt =
  (baseUrl: string): AskRemote =>
  async (token, message) => {
    const said = await post(baseUrl + MCP.path, token, message);
    if ("result" in said) {
      // The next answer on this side says itself that it is complete, and who serves it.
      const { resultType, _meta, ...result } = said.result;
      return result;
    }
    if ("ok" in said) {
      // What the network refuses before it listens is a result of the tool, where one was called.
      if (message.method === "tools/call") return refusal(said);
      throw new ProtocolError(ProtocolErrorCode.InternalError, said.message);
    }
    throw new ProtocolError(said.error.code, said.error.message, said.error.data);
  };

async function post(url: string, token: string, { method, params, signal }: Passed) {
  const name = params["name"] ?? params["uri"];
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": REVISION,
    "mcp-method": method,
    ...(typeof name === "string" && { "mcp-name": headerText(name) }),
  };
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": REVISION,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } });
  const ends = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
  try {
    const response = await fetch(url, {
      method: "POST",
      redirect: "manual",
      headers,
      body,
      signal: ends,
    });
    const { data } = answer.safeParse(await jsonOf(response, ANSWER_MAX_BYTES));
    return (
      data ??
      failed(
        url,
        `answers with status ${response.status} and nothing of Cairn's`,
        "unexpected_answer",
      )
    );
  } catch (error) {
    if (error instanceof CairnError)
      return failed(url, `sends too much: ${error.message}`, error.code);
    return failed(url, `cannot be reached${reasonOf(error)}`);
  }
}

/** A failure of the way, as the network itself would tell one. */
const failed = (url: string, what: string, error = "unreachable") =>
  ({ ok: false, error, message: `${url} ${what.replace(/\.$/, "")}.` }) as const;

/** A name as a header carries it; whatever a header cannot hold goes in base64. */
const headerText = (name: string): string =>
  /^[!-~]+$/.test(name) ? name : `=?base64?${Buffer.from(name).toString("base64")}?=`;
