import { calledBy, isCall } from "../../surfaces/mcp/tools/more-tools.ts";
import type { Passed } from "./remote.ts";

interface Called {
  readonly name: unknown;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** The tool that a call runs, which `cairn_call` or `cairn_query` names inside; null where the network will refuse the call. */
export function calledIn({ name, arguments: given = {} }: Passed["params"]): Called | null {
  if (!isCall(name)) return { name, arguments: { ...Object(given) } };
  try {
    return calledBy(Object(given));
  } catch {
    return null;
  }
}

/** The same call with other arguments for the tool that runs. */
export function calledWith(message: Passed, args: Readonly<Record<string, unknown>>): Passed {
  const { params } = message;
  const { name } = Object(params["arguments"]);
  const given = isCall(params["name"]) ? { name, arguments: args } : args;
  return { ...message, params: { ...params, arguments: given } };
}
