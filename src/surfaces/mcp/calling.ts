import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server";
import { reject } from "../../platform/kernel/contract/errors.ts";
import type { BoundOperation } from "../dispatch/registry.ts";
import { capped } from "./answer-cap.ts";
import { noticesOf } from "./foreign.ts";
import { sentencesOf } from "./sentences.ts";
import type { Answering, Serving } from "./serving.ts";
import type { Success } from "./shared-reads.ts";
import { terseOf } from "./terse.ts";
import {
  calledBy,
  demandRead,
  foundFor,
  isCall,
  MORE_QUERY,
  MORE_TOOLS,
} from "./tools/more-tools.ts";
import { documentsIn, noDocument, type ToolEntry, toolName } from "./tools/tools.ts";
import { visible } from "./visible.ts";

type Args = Readonly<Record<string, unknown>>;

/** Runs tools: each by its operation, and the two that lead to all others. */
export function callsOf(registry: readonly BoundOperation[]) {
  const documents = documentsIn(registry);
  const worded = sentencesOf(registry, toolName);
  const terse = terseOf(registry);
  const noticeOn = noticesOf(registry);

  /** What a caller of an operation is shown: in the words of tools, its notice first, and all of it within the cap. */
  async function shown(
    { answering, tools }: Serving,
    { operation, args }: { readonly operation: BoundOperation; readonly args: Args },
  ) {
    const short = tools.isTerse ? terse : (_: BoundOperation, success: Success) => success;
    return capped(operation, args, async (asked) => {
      const success = worded(operation, await answering.success(operation, asked));
      const told = short(operation, success);
      const notice = noticeOn(operation, told, answering.reader());
      return visible(notice === null ? told : noticed(told, notice));
    });
  }

  async function run(serving: Serving, entry: ToolEntry, args: Args): Promise<CallToolResult> {
    try {
      return resultOf(await shown(serving, entry.callOf(args) ?? refuseDocument(documents.keys())));
    } catch (error) {
      return failed(serving.answering, error);
    }
  }

  /** A call of another tool; there is none inside of that. */
  async function inside(serving: Serving, by: string, args: Args): Promise<CallToolResult> {
    const { answering, tools } = serving;
    try {
      const inner = calledBy(args);
      const entry = tools.find(tools.meant(inner.name));
      if (entry !== undefined && by === MORE_QUERY) demandRead(entry.tool);
      if (entry !== undefined) return await run(serving, entry, inner.arguments);
      const details = [{ field: "name", problem: "is no tool" }];
      return reject("validation_failed", tools.refusal(inner.name), details);
    } catch (error) {
      return failed(answering, error);
    }
  }

  async function call(serving: Serving, sent: string, args: Args): Promise<CallToolResult> {
    const { tools } = serving;
    const name = tools.meant(sent);
    if (tools.hasMore && name === MORE_TOOLS) return found(serving, args);
    if (tools.hasMore && isCall(name)) return inside(serving, name, args);
    const entry = tools.find(name);
    if (entry !== undefined) return run(serving, entry, args);
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, tools.refusal(sent));
  }

  return { call, noticeOn };
}

const noticed = ({ body }: Success, notice: string): Success => {
  const whole = { notice, ...body };
  return { text: JSON.stringify(whole), body: whole };
};

const resultOf = ({ text, body }: Success): CallToolResult => ({
  content: [{ type: "text", text }],
  structuredContent: body,
});

function failed(answering: Answering, error: unknown): CallToolResult {
  const { text, ...beside } = answering.failure(error);
  return { content: [{ type: "text", text }], isError: true, ...beside };
}

function found({ answering, tools }: Serving, args: Args): CallToolResult {
  try {
    const body = foundFor(tools, args);
    return resultOf({ text: JSON.stringify(body), body });
  } catch (error) {
    return failed(answering, error);
  }
}

/** Only the tool of documents can lack an operation. */
function refuseDocument(names: Iterable<string>): never {
  const { error, message, details } = noDocument(names);
  return reject(error, message, details);
}
