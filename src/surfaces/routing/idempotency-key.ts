import { reject } from "../../platform/kernel/contract/errors.ts";
import { clientRef } from "../../platform/kernel/text.ts";
import { spelled } from "../../platform/kernel/words/spelling.ts";
import type { BoundOperation } from "../dispatch/registry.ts";

/** Whether an operation has a field for what the header says. */
export const takesKey = ({ method, input }: Pick<BoundOperation, "method" | "input">): boolean =>
  method !== "GET" && "client_ref" in input.shape;

/**
 * The input with the value of `Idempotency-Key` as its `client_ref` (draft-ietf-httpapi-idempotency-key-header). The
 * value may stand in quotes, as in the draft. Rejects with 422 where it is no `client_ref`, or the body has another one.
 */
export function withKey(operation: BoundOperation, input: object, header: string): object {
  const key = header.trim().replace(/^"(.*)"$/, "$1");
  const { error } = clientRef.safeParse(key);
  if (error !== undefined) return refuse(`${error.issues[0]?.message ?? "does not fit"}`);
  const { client_ref } = Object(spelled(operation, input));
  if (client_ref !== undefined && client_ref !== null && client_ref !== key)
    return refuse("says one thing, and client_ref in the body another");
  return { ...input, client_ref: key };
}

function refuse(problem: string): never {
  const details = [{ field: HEADER, problem }];
  return reject("validation_failed", `\`${HEADER}\` ${problem}. Nothing was done.`, details);
}

/** The header, as hints and refusals name it. */
export const HEADER = "Idempotency-Key";
