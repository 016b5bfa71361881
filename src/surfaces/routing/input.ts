import { reject } from "../../platform/kernel/contract/errors.ts";
import { fieldMeant } from "../../platform/kernel/words/spelling.ts";
import type { BoundOperation } from "../dispatch/registry.ts";
import { parameterOf, type Route } from "./routes.ts";

/** The parts of a request that hold its input. */
export interface Sent {
  readonly path: string;
  readonly query: string;
  /** The parsed body; `{}` where there is none. */
  readonly body: object;
}

/**
 * Path, body and query in one flat object: the path wins over the body. Only the values of declared
 * fields are taken, one by one, because a body may have a `__proto__` of its own. Throws 422 for a declared
 * parameter that was sent twice, that the query and the body say differently, or that decodes to no text.
 */
export function inputOf(
  operation: BoundOperation,
  route: Route,
  { path, query, body }: Sent,
): object {
  if (query === "" && route.parameter === null) return body;
  const { shape } = operation.input;
  const declared = (name: string) =>
    Object.hasOwn(shape, name) || fieldMeant(operation, name) !== undefined;
  // Undeclared names stay for the hints and for what is reserved; one may be `__proto__`.
  const input: Record<string, unknown> = Object.create(null);
  const problems = new Map<string, string>();
  const take = (name: string, text: string | null) => {
    if (text === null) problems.set(name, "is not percent-encoded UTF-8");
    else input[name] = text;
  };

  for (const [name, text] of parametersOf(query)) {
    if (name === null) continue;
    if (!declared(name)) {
      input[name] = text;
      continue;
    }
    if (Object.hasOwn(input, name)) problems.set(name, "was sent twice");
    take(name, text);
  }
  for (const [name, value] of Object.entries(body)) {
    if (!declared(name)) {
      input[name] = value;
      continue;
    }
    if (Object.hasOwn(input, name) && input[name] !== String(value))
      problems.set(name, "says one thing in the query and another in the body");
    input[name] = value;
  }
  if (route.parameter !== null) take(route.parameter.name, decode(parameterOf(route, path) ?? ""));

  if (problems.size === 0) return input;
  const details = [...problems].map(([field, problem]) => ({ field, problem }));
  return reject(
    "validation_failed",
    "Send each parameter once, as percent-encoded UTF-8.",
    details,
  );
}

/** Names and values of a query, decoded; null stands for what is no text. */
function* parametersOf(query: string): Generator<readonly [string | null, string | null]> {
  for (const pair of query === "" ? [] : query.replaceAll("+", " ").split("&")) {
    const at = pair.indexOf("=");
    yield at < 0 ? [decode(pair), ""] : [decode(pair.slice(0, at)), decode(pair.slice(at + 1))];
  }
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
