import type { Rejection } from "../../platform/kernel/contract/errors.ts";
import { MCP, MCP_OPEN } from "../describe/fixed-routes.ts";

/** The refusal of a request (RFC 6749, 4.1.2.1 and 5.2; RFC 7591, 3.2.2). */
export type Fault = Readonly<Record<"error" | "error_description", string>>;

export const fault = (error: string, error_description: string): Fault => ({
  error,
  error_description,
});

/** RFC 6749, 3.1: a parameter is sent once; RFC 8707 lets `resource` be sent several times. */
export function faultOfTwice(parameters: URLSearchParams): Fault | null {
  const names = [...parameters.keys()].filter((name) => name !== "resource");
  if (new Set(names).size === names.length) return null;
  return fault("invalid_request", "A parameter was sent twice.");
}

/** A token is for this service alone, whatever door it comes in by (RFC 8707). */
export function faultOfResource(parameters: URLSearchParams, baseUrl: string): Fault | null {
  const known = [MCP.path, MCP_OPEN.path].map((path) => baseUrl + path);
  const isKnown = (each: string) => known.includes(each.replace(/\/$/, ""));
  if (parameters.getAll("resource").every(isKnown)) return null;
  return fault("invalid_target", `resource must be ${known[0]}.`);
}

/**
 * A refusal by the service as OAuth says it. One that passes is `temporarily_unavailable`: on `server_error`, and on
 * any code that they do not know, the official clients sign in anew, and their user would be another agent.
 */
export function refusalOf({ status, message }: Pick<Rejection, "status" | "message">): Fault {
  const mayCome = status === 408 || status === 429 || status >= 500;
  // Its characters are those of RFC 6749, 5.2, which has no double quotes.
  return fault(
    mayCome ? "temporarily_unavailable" : "invalid_request",
    message.replaceAll('"', "'"),
  );
}
