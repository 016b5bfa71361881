import { ACCESS_TOKEN, AGENT_TOKEN } from "../../domains/identity/token-forms.ts";
import { isAccessToken } from "../../domains/identity/tokens.ts";
import type { Agent } from "../../platform/context.ts";
import { Rejection, reject } from "../../platform/kernel/contract/errors.ts";
import type { Auth } from "../../platform/kernel/contract/operation.ts";

/** The authentication of callers; the identity domain implements it. */
export interface Callers {
  /** A ban or a rotation holds at once. Rejects with a 401 code. */
  readonly authenticate: (token: string) => Promise<Agent>;
  /** The agent that a token belonged to a moment ago: enough to charge it, not to let it act. */
  readonly remembered: (token: string) => Agent | undefined;
  /** Told of every token that was refused. */
  readonly refused: () => void;
  /** Told of every authenticated request; it must not wait for anything. */
  readonly seen: (agent: Agent) => void;
}

const BEARER = new RegExp(`^[Bb][Ee][Aa][Rr][Ee][Rr] (${AGENT_TOKEN}|${ACCESS_TOKEN})$`);

/** The caller by its Authorization field; where a token is `optional`, a bad one counts as none. */
export function callerOf(
  auth: "required",
  authorization: string | undefined,
  callers: Callers,
): Promise<Agent>;
export function callerOf(
  auth: Auth,
  authorization: string | undefined,
  callers: Callers,
): Promise<Agent | null>;
export function callerOf(
  auth: Auth,
  authorization: string | undefined,
  callers: Callers,
): Promise<Agent | null> {
  return seen(auth, () => ownTokenOf(authorization), callers);
}

/** The same by the Model Context Protocol, where access tokens of grants work as well. */
export const mcpCallerOf = (
  auth: Auth,
  authorization: string | undefined,
  callers: Callers,
): Promise<Agent | null> => seen(auth, () => tokenOf(authorization), callers);

async function seen(auth: Auth, token: () => string, callers: Callers): Promise<Agent | null> {
  if (auth === "none") return null;
  try {
    const agent = await holderOf(token(), callers);
    callers.seen(agent);
    return agent;
  } catch (error) {
    if (auth === "optional" && isUnauthorized(error)) return null;
    throw error;
  }
}

async function holderOf(token: string, { authenticate, refused }: Callers): Promise<Agent> {
  try {
    return await authenticate(token);
  } catch (error) {
    if (isUnauthorized(error)) refused();
    throw error;
  }
}

export const isUnauthorized = (error: unknown): boolean =>
  error instanceof Rejection && error.status === 401;

/** The token of a well-formed field; null when there is none. */
export const tokenIn = (authorization: string | undefined): string | null =>
  authorization === undefined ? null : (BEARER.exec(authorization)?.[1] ?? null);

export const TOKEN_MISSING =
  "Send your token in the header field Authorization: Bearer <token>. {identity.register} gives one, free and without a token.";

/** A permanent token: one of a grant is refused before it is looked up. */
function ownTokenOf(authorization: string | undefined): string {
  const token = tokenOf(authorization);
  if (isAccessToken(token))
    reject(
      "token_malformed",
      "This access token of a sign-in by OAuth works in the header of POST /api/v1/mcp alone. Here send the token of an agent, sk_ and 48 hex characters; {identity.register} gives one, free and without one.",
    );
  return token;
}

function tokenOf(authorization: string | undefined): string {
  if (authorization === undefined) reject("token_missing", TOKEN_MISSING);
  const token = tokenIn(authorization);
  if (token === null)
    reject(
      "token_malformed",
      "Send Authorization as Bearer, one space, sk_ and 48 hex characters. {identity.register} gives such a token, free and without one.",
    );
  return token;
}
