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
