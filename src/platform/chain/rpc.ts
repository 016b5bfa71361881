import * as z from "zod";
import { ChainInconsistent } from "./adapter.ts";

/** An answer of 1,000 receivable blocks has about a quarter of it. */
const ANSWER_BYTES_MAX = 1024 * 1024;

/** One call: its action, and members that are all texts or lists of texts, as the node wants them. */
export interface RpcRequest {
  readonly action: string;
  readonly [member: string]: string | readonly string[];
}

/** Where calls go. Nothing of it is ever shown or logged. */
export interface RpcAddress {
  readonly url: string;
  /** The value of the header Authorization. */
  readonly authorization: string | null;
}

/** The endpoint gave no answer; the reason is a text of ours, never of the node. */
export class RpcFailure extends Error {
  /** Whether the same call may do better in a moment: a broken connection, 5xx, 429, or no JSON. */
  readonly passes: boolean;

  constructor(reason: string, passes: "passes" | "stays") {
    super(reason);
    this.name = "RpcFailure";
    this.passes = passes === "passes";
  }
}

/** The endpoint does not offer this action. */
export class RpcRefusal extends Error {
  constructor() {
    super("does not offer this action");
    this.name = "RpcRefusal";
  }
}

const NOT_THERE = new Set(["Block not found", "Account not found"]);
const NOT_OFFERED = /^Unknown command$|^Action .{1,60} not allowed/;
/** Actions that are only a help, or have another in their place: gateways refuse them in words of their own. */
const OPTIONAL = /^(?:telemetry|block_count|blocks_info|receivable|receivable_exists)$/;
const TOO_MANY = 429;
const failed = z.object({ error: z.union([z.string(), z.number()]) });

/** The answer to a call, or null when the node does not know the block or the account. */
export async function callNode(
  { url, authorization }: RpcAddress,
  request: RpcRequest,
  signal: AbortSignal,
): Promise<object | null> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(authorization === null ? {} : { authorization }),
    },
    body: JSON.stringify(request),
    redirect: "error", // An address that nobody configured is never called.
    signal,
  }).catch(() => {
    throw new RpcFailure(signal.aborted ? "does not answer in time" : "is not reached", "passes");
  });
  const answer = jsonOf(await textOf(response, signal));
  const error = failed.safeParse(answer).data?.error;
  if (typeof error === "string" && NOT_OFFERED.test(error)) throw new RpcRefusal();
  const { status } = response;
  if (status >= 500 || status === TOO_MANY || error === TOO_MANY)
    throw new RpcFailure(`answers ${status < 400 ? TOO_MANY : status}`, "passes");
  const isKnown = typeof error === "string" && NOT_THERE.has(error);
  const isRefused = !response.ok || (error !== undefined && !isKnown);
  if (isRefused && OPTIONAL.test(request.action)) throw new RpcRefusal();
  if (!response.ok) throw new RpcFailure(`answers ${status}`, "stays");
  if (answer === undefined) throw new RpcFailure("answers no JSON", "passes");
  if (error === undefined) return answer;
  if (isKnown) return null;
  throw new RpcFailure("answers with an error", "stays");
}

/** The body, but no more of it than is allowed: the rest is not even read. */
async function textOf(response: Response, signal: AbortSignal): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      if (bytes > ANSWER_BYTES_MAX) break;
      text += decoder.decode(chunk, { stream: true });
    }
  } catch {
    throw new RpcFailure(signal.aborted ? "does not answer in time" : "breaks off", "passes");
  }
  if (bytes <= ANSWER_BYTES_MAX) return text;
  throw new RpcFailure("answers more than 1 MiB", "stays");
}

/** The JSON object, or undefined: a node answers nothing else. */
function jsonOf(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The answer in the shape that it must have; any other one is a contradiction. */
export function shaped<T>(schema: z.ZodType<T>, answer: unknown, action: string): T {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new ChainInconsistent(`the answer to ${action} has not the documented shape`);
}
