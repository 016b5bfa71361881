import type * as z from "zod";
import { CairnError } from "../../client/error.ts";
import type { Operation } from "../../platform/kernel/contract/operation.ts";
import { Stop, UNREADABLE } from "../command/stop.ts";

/** The answer, if it has the shape that the contract promises; otherwise a Stop. */
export async function answerOf<Out extends z.ZodObject>(
  operation: Operation<z.ZodObject, Out>,
  called: Promise<unknown>,
): Promise<z.output<Out>> {
  const answer = await called.catch((error: unknown) => {
    if (!(error instanceof CairnError)) throw error;
    throw new Stop(UNREADABLE, `${nameOf(operation)}: ${sentenceOf(error)}`, error);
  });
  const { data } = operation.output.safeParse(answer);
  if (data === undefined) throw new Stop(UNREADABLE, `${nameOf(operation)}: ${MISSHAPEN}`);
  return data;
}

const MISSHAPEN = "The answer does not have the shape that the protocol gives it.";

const nameOf = ({ method, path }: Operation): string => `${method} /api/v1${path}`;

/** The error and the innermost reason for it, such as ECONNREFUSED. */
function sentenceOf(error: CairnError): string {
  let innermost: unknown = error;
  while (innermost instanceof Error && innermost.cause !== undefined) innermost = innermost.cause;
  const reason = innermost instanceof Error && innermost !== error ? ` (${innermost.message})` : "";
  return `${error.message}${reason}`;
}
