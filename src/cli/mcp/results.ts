import { CairnError } from "../../client/index.ts";
import { contracts } from "../../domains/contracts.ts";
import { type Problem, Rejection } from "../../platform/kernel/contract/errors.ts";
import type { Operation } from "../../platform/kernel/contract/operation.ts";
import { routeName } from "../../surfaces/routing/base-path.ts";

/** A success of a tool, as the network itself would say it. */
export const success = (body: object) => ({
  content: [{ type: "text" as const, text: JSON.stringify(body) }],
  structuredContent: { ...body },
});

/** A refusal: the body of an answer that is no success. */
export const refusal = (body: {
  readonly ok: false;
  readonly error: string;
  readonly message: string;
  readonly details?: readonly Problem[] | undefined;
  readonly [more: string]: unknown;
}) => ({
  content: [{ type: "text" as const, text: JSON.stringify(body) }],
  isError: true,
});

/** The tools, by the routes that REST names in their place. */
const TOOLS: ReadonlyMap<string, string> = new Map(
  Object.values<Record<string, Operation>>(contracts).flatMap((domain) =>
    Object.values(domain).flatMap((operation) =>
      operation.tool === undefined ? [] : [[routeName(operation), operation.tool] as const],
    ),
  ),
);
const ROUTE = /\b(?:GET|POST) \/api\/v1[\w/{}-]*/g;

/** A sentence of REST in the names of tools. */
const inTools = (sentence: string): string =>
  sentence.replace(ROUTE, (route) => TOOLS.get(route) ?? route);

/** What the network has refused, or this side by the same rules, as a result. Throws every other error. */
export function refusalOf(error: unknown) {
  if (error instanceof Rejection) {
    const { code, message, details, teaching } = error;
    return refusal({ ok: false, error: code, message: inTools(message), details, ...teaching });
  }
  if (!(error instanceof CairnError)) throw error;
  const { code, message, details, accepts, request_id } = error;
  return refusal({
    ok: false,
    error: code,
    message: inTools(message),
    details,
    accepts,
    request_id,
  });
}
