import { CairnError } from "../../client/index.ts";
import { type Problem, Rejection } from "../../kernel/contract/errors.ts";

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

/** What the network has refused, or this side by the same rules, as a result. Throws every other error. */
export function refusalOf(error: unknown) {
  if (error instanceof Rejection) {
    const { code, message, details, teaching } = error;
    return refusal({ ok: false, error: code, message, details, ...teaching });
  }
  if (!(error instanceof CairnError)) throw error;
  const { code, message, details, request_id } = error;
  return refusal({ ok: false, error: code, message, details, request_id });
}
