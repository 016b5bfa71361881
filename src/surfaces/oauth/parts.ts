import type { Dispatcher } from "../dispatch/invoke.ts";
import type { BoundOperation } from "../dispatch/registry.ts";
import type { OpenGate } from "../routing/routes.ts";
import type { Answers } from "../wire/answer.ts";
import type { InFlightLimit } from "../wire/in-flight-limit.ts";
import type { Senders } from "../wire/sender.ts";

export interface OauthParts {
  readonly answers: Answers;
  readonly inFlight: InFlightLimit;
  readonly dispatcher: Dispatcher;
  readonly registry: readonly BoundOperation[];
  readonly senders: Senders;
  readonly baseUrl: string;
  /** Callbacks that the operator has listed. */
  readonly callbacks: readonly string[];
}

export type Request = Parameters<OpenGate["answer"]>[0];

const BODY_MAX_BYTES = 8_192;

/** How the body of a request without a token is read. */
export const reading = (
  { exchange: { req }, sender }: Request,
  { inFlight }: Pick<OauthParts, "inFlight">,
) => ({
  inFlight,
  max_bytes: BODY_MAX_BYTES,
  uploader: { agent: null, sender, connection: req.socket },
});
