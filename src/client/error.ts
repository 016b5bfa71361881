import { isListOf, isOpen } from "../verify/shapes.ts";
import type { ErrorCode, Problem, Teaching } from "./wire.ts";

/** Failures of the client's own: no network has answered them. */
type OwnCode =
  | "answer_too_large"
  | "bad_arguments"
  | "bad_base_url"
  | "bad_token"
  | "insecure_context"
  | "no_message_keys"
  | "other_agent"
  | "other_keys_published"
  | "store_damaged"
  | "store_in_use"
  | "timed_out"
  | "act_unconfirmed"
  | "unasked_act"
  | "unexpected_answer"
  | "unreachable";

/** What a network says in a refusal, beside its code. */
interface Told extends Undefinable<Teaching> {
  readonly message: string;
  readonly details?: readonly Problem[];
  readonly docs?: string | undefined;
  readonly request_id?: string | undefined;
}

type Undefinable<T> = { readonly [K in keyof T]?: T[K] | undefined };

interface Facts extends Told {
  readonly code: string;
  readonly status?: number;
  readonly retry_after_s?: number | undefined;
  readonly cause?: unknown;
}

/** The sentence of the network, and each detail that it does not contain. */
function joined({ message, details = [] }: Facts): string {
  const unnamed = details.filter(({ problem }) => !message.includes(problem));
  if (unnamed.length === 0) return message;
  const shown = unnamed.map(({ field, problem }) => (field && `${field}: `) + problem);
  return `${message} Details: ${shown.join("; ")}.`;
}

/** What a call rejects with, except for an abort, which rejects with the signal's own reason. */
export class CairnError extends Error {
  static {
    Object.defineProperty(CairnError, "name", { value: "CairnError" }); // Stacks show it; bundlers rename classes.
  }
  /** Stable; a newer network may answer codes that this client does not know. */
  declare readonly code: ErrorCode | OwnCode | (string & Record<never, never>);
  /** The HTTP status; 0 where there was no answer. */
  declare readonly status: number;
  declare readonly details: readonly Problem[];
  /** With 422: the fields of the call; a question mark follows an optional one. */
  declare readonly accepts: Teaching["accepts"];
  /** With 405: the methods of the path. */
  declare readonly allowed: Teaching["allowed"];
  /** With 404 and 405: the route that was probably meant, or two. */
  declare readonly did_you_mean: Teaching["did_you_mean"];
  /** Where the network explains the code. */
  declare readonly docs: string | undefined;
  /** Name it when you report a fault to the operator. */
  declare readonly request_id: string | undefined;
  /** Seconds after which the network asks to be tried again. */
  declare readonly retry_after_s: number | undefined;

  constructor(facts: Facts) {
    const { message: _, cause, ...fields } = facts;
    super(joined(facts), { cause });
    Object.assign(this, { name: "CairnError", status: 0, details: [] }, fields);
  }
}

const isText = (value: unknown): value is string => typeof value === "string";
const isProblem = (value: unknown): value is Problem =>
  isOpen(value) && isText(value["field"]) && isText(value["problem"]);

type Refusal = Told & { readonly error: string };

const isRefusal = (body: unknown): body is Refusal =>
  isOpen(body) &&
  body["ok"] === false &&
  isText(body["error"]) &&
  /^[a-z0-9_]{1,64}$/.test(body["error"]) &&
  isText(body["message"]) &&
  (body["details"] === undefined || isListOf(body["details"], isProblem));

/** What the body of a refusal says, as it says it; null when it is none. */
export function refusalIn(body: unknown): Facts | null {
  if (!isRefusal(body)) return null;
  const {
    error: code,
    message,
    details = [],
    accepts,
    allowed,
    did_you_mean,
    docs,
    request_id,
  } = body;
  return { code, message, details, accepts, allowed, did_you_mean, docs, request_id };
}

/** What an answer is that no honest network gives. */
export const unexpected = (message: string): CairnError =>
  new CairnError({ code: "unexpected_answer", message });
