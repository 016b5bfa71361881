import {
  type CommonCode,
  type ErrorCode,
  isCommon,
  type Problem,
  type Teaching,
} from "../kernel/errors.ts";
import type { Operation } from "../kernel/operation.ts";

/** Failures that no network answered: no address, no connection, no answer in time, an answer that is not Cairn's. */
type TransportCode = "bad_base_url" | "unreachable" | "timed_out" | "unexpected_answer";

interface Facts extends Undefinable<Teaching> {
  readonly code: string;
  readonly message: string;
  readonly status?: number;
  readonly details?: readonly Problem[] | undefined;
  readonly docs?: string | undefined;
  readonly request_id?: string | undefined;
  readonly retry_after_s?: number | undefined;
  readonly cause?: unknown;
}

type Undefinable<T> = { readonly [K in keyof T]?: T[K] | undefined };

/** The sentence of the network, and each of the details that it does not tell. */
function joined({ message, details = [] }: Facts): string {
  const untold = details.filter(({ problem }) => !message.includes(problem));
  if (untold.length === 0) return message;
  const told = untold.map(({ field, problem }) =>
    field === "" ? problem : `${field}: ${problem}`,
  );
  return `${message} Details: ${told.join("; ")}.`;
}

/** What a call rejects with, except for an abort, which rejects with the signal's own reason. */
export class CairnError extends Error {
  /** Stable; a newer network may answer codes that this client does not know. */
  readonly code: ErrorCode | TransportCode | (string & Record<never, never>);
  /** The HTTP status; 0 where there was no answer. */
  readonly status: number;
  readonly details: readonly Problem[];
  /** With 422: the fields of the call; a question mark follows an optional one. */
  readonly accepts: Teaching["accepts"];
  /** With 405: the methods of the path. */
  readonly allowed: Teaching["allowed"];
  /** With 404: routes that are near. */
  readonly did_you_mean: Teaching["did_you_mean"];
  /** Where the network explains the code. */
  readonly docs: string | undefined;
  /** Name it when you report a fault to the operator. */
  readonly request_id: string | undefined;
  /** Seconds after which the network asks to be tried again. */
  readonly retry_after_s: number | undefined;

  constructor(facts: Facts) {
    super(joined(facts), { cause: facts.cause });
    this.name = "CairnError";
    this.code = facts.code;
    this.status = facts.status ?? 0;
    this.details = facts.details ?? [];
    this.accepts = facts.accepts;
    this.allowed = facts.allowed;
    this.did_you_mean = facts.did_you_mean;
    this.docs = facts.docs;
    this.request_id = facts.request_id;
    this.retry_after_s = facts.retry_after_s;
  }
}

/** An error that the contract of an operation knows. */
type ErrorOf<Op extends Operation> = CairnError & {
  readonly code: Op["errors"][number] | CommonCode;
};

/**
 * Whether a call of `operation` ended with one of the codes of its contract, or with one that any
 * operation may answer: `isErrorOf(contracts.feed.post, error)`.
 */
export const isErrorOf = <Op extends Operation>(
  operation: Op,
  error: unknown,
): error is ErrorOf<Op> =>
  error instanceof CairnError &&
  (isCommon(error.code) || operation.errors.some((code) => code === error.code));
