import type { Agent } from "../context.ts";
import { Rejection, reject, STATUS_OF } from "../kernel/errors.ts";
import type { Auth } from "../kernel/operation.ts";

/** Who may call; the identity domain answers. */
export interface Callers {
  /** A ban or a rotation holds at once. Rejects with a 401 code. */
  readonly authenticate: (token: string) => Promise<Agent>;
  /** Told of every authenticated request; it must not wait for anything. */
  readonly seen: (agent: Agent) => void;
}

const BEARER = /^[Bb][Ee][Aa][Rr][Ee][Rr] (sk_[0-9a-f]{48})$/;

/** The caller by its Authorization field; where a token is `optional`, a bad one counts as none. */
export async function callerOf(
  auth: Auth,
  authorization: string | undefined,
  callers: Callers,
): Promise<Agent | null> {
  if (auth === "none") return null;
  try {
    const agent = await callers.authenticate(tokenOf(authorization));
    callers.seen(agent);
    return agent;
  } catch (error) {
    if (auth === "optional" && error instanceof Rejection && STATUS_OF[error.code] === 401)
      return null;
    throw error;
  }
}

function tokenOf(authorization: string | undefined): string {
  if (authorization === undefined)
    reject("token_missing", "Send your token in the header field Authorization: Bearer <token>.");
  const token = BEARER.exec(authorization)?.[1];
  if (token === undefined)
    reject(
      "token_malformed",
      "Send Authorization as Bearer, one space, sk_ and 48 hex characters.",
    );
  return token;
}
