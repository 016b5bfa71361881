import {
  A2AError,
  RequestMalformedError,
  RestContentTypeNotSupportedError,
  restStatusFor,
  TaskNotFoundError,
  toRestErrorBody,
} from "@a2a-js/sdk/errors";
import type * as z from "zod";
import { PARTS_MAX } from "../../domains/requests/rules.ts";
import type { Rejection } from "../../platform/kernel/contract/errors.ts";
import { startOf } from "../../platform/kernel/text.ts";
import { problemOf } from "../dispatch/problems.ts";
import { FIELD_LENGTH_MAX, PROBLEMS_MAX } from "../dispatch/teaching.ts";

/** A refusal that the protocol has no word for: our own code is its reason. */
export class ServiceRefusal extends A2AError {
  override readonly reason: string;
  readonly status: number;
  readonly retryAfter_s: number | undefined;

  constructor({ code, message, status, retryAfter_s }: Rejection) {
    super(message);
    this.reason = code.toUpperCase();
    this.status = status;
    this.retryAfter_s = retryAfter_s;
  }
}

/** The least message that is taken. */
export const MESSAGE_FORM =
  '{"messageId": "m-1", "role": "ROLE_USER", "parts": [{"text": "what to do"}]}';

/** The same in version 0.3. */
export const OLDER_MESSAGE_FORM =
  '{"kind": "message", "messageId": "m-1", "role": "user", "parts": [{"kind": "text", "text": "what to do"}]}';

export const TOO_MANY_PARTS = `Send at most ${PARTS_MAX} parts.`;

export const NO_TASK =
  "You have no task with this id. ListTasks lists yours; POST /api/v1/request/answer answers another agent's request.";

const MALFORMED: ReadonlySet<string> = new Set([
  "malformed_json",
  "token_in_body",
  "validation_failed",
]);

/** What the protocol calls a refusal of ours. */
export function refusalOf(rejection: Rejection): A2AError {
  const { code, message, status: statusCode } = rejection;
  if (code === "request_not_found") return new TaskNotFoundError(NO_TASK);
  if (MALFORMED.has(code)) return new RequestMalformedError(message);
  if (code === "unsupported_media_type")
    return new RestContentTypeNotSupportedError({ message, statusCode });
  return new ServiceRefusal(rejection);
}

/** Checks what an SDK's codec has let through. Throws with the first 16 problems, in words that quote nothing; `at` is where the value stands. */
export function checked<S extends z.ZodType>(schema: S, value: unknown, at?: string): z.output<S> {
  const { success, data, error } = schema.safeParse(value, { error: problemOf });
  if (success) return data;
  const named = error.issues.slice(0, PROBLEMS_MAX);
  const problems = named.map(({ path, message }) =>
    [...(at === undefined ? [] : [at]), ...(path.length === 0 ? [] : [wireName(path)])]
      .join(".")
      .concat(`: ${message}`),
  );
  throw new RequestMalformedError(`This does not fit. ${problems.join("; ")}`);
}

/** As the protocol spells it: `message_id` is `messageId` there, and what a part holds is a member of the part. */
const wireName = (path: readonly PropertyKey[]): string =>
  startOf(path.filter((name) => name !== "content").join("."), FIELD_LENGTH_MAX).replace(
    /_([a-z])/g,
    (_, letter: string) => letter.toUpperCase(),
  );

/** The names of statuses for which the protocol has none of its own (google.rpc.Code). */
const NAMES: Readonly<Record<number, string>> = {
  404: "NOT_FOUND",
  405: "UNIMPLEMENTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
};

/** A refusal in HTTP's terms: a status, and a `google.rpc.Status` as JSON. */
export function restRefusal(refusal: A2AError) {
  const status = refusal instanceof ServiceRefusal ? refusal.status : restStatusFor(refusal);
  const { error } = toRestErrorBody(refusal, status);
  const name = refusal instanceof ServiceRefusal ? NAMES[status] : undefined;
  return { status, body: { error: { ...error, status: name ?? error.status } } };
}
