import type { Agent } from "../../platform/context.ts";
import { Rejection } from "../../platform/kernel/contract/errors.ts";
import type { Sender } from "../../platform/kernel/contract/operation.ts";
import type { Exchange } from "./answer.ts";
import { type Callers, isUnauthorized, tokenIn } from "./bearer.ts";
import type { Head } from "./edge.ts";
import type { RateLimit } from "./rate-limit.ts";

/** A request whose head was read. */
export interface Request {
  readonly exchange: Exchange;
  readonly head: Head;
  readonly sender: Sender | null;
  /** The look-up of its token. */
  readonly callers: Callers;
}

/** The rate limit at the door: it is asked before any route is looked up. */
export interface Admission {
  /**
   * Hands a request on when its agent and its network may send one more, else throws `rate_limited`.
   * That happens at once, or where it returns a promise, when its token has been looked up.
   */
  admit(request: Request, enter: (request: Request) => void): Promise<void> | undefined;
  /** What a request is answered that ends with an error: a 401 has its price. */
  priced(request: Request, error: unknown): unknown;
}

/** Where no limit is enforced. */
export const OPEN_DOOR: Admission = {
  admit: (request, enter) => void enter(request),
  priced: (_, error) => error,
};

/** `refuseWhenBusy` throws when no look-up may begin. */
export function admissionOf(rateLimit: RateLimit, refuseWhenBusy: () => void): Admission {
  function pass(request: Request, agent: Agent | null): void {
    const wait_s = rateLimit.admit(agent, request.sender);
    if (wait_s > 0) throw limited(wait_s);
  }

  return {
    admit(request, enter) {
      const token = tokenIn(request.head.fields.authorization);
      const agent = token === null ? null : request.callers.remembered(token);
      if (token === null || agent !== undefined) {
        pass(request, agent ?? null);
        enter(request);
        return;
      }
      refuseWhenBusy();
      const lookUp = request.callers.authenticate(token);
      const known = { ...request, callers: { ...request.callers, authenticate: () => lookUp } };
      return lookUp.catch(nobody).then((found) => {
        pass(known, found);
        enter(known); // It does not look the token up again.
      });
    },
    priced({ head, sender }, error) {
      if (!isUnauthorized(error)) return error;
      const sent = head.fields.authorization === undefined ? "nothing" : "token";
      const wait_s = rateLimit.unauthorized(sender, sent);
      return wait_s > 0 ? limited(wait_s) : error;
    },
  };
}

function nobody(error: unknown): null {
  if (isUnauthorized(error)) return null;
  throw error;
}

const limited = (wait_s: number): Rejection =>
  new Rejection("rate_limited", "Wait as long as Retry-After says.", undefined, wait_s);
