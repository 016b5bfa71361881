import { OAUTH } from "../describe/fixed-routes.ts";
import type { OpenGate } from "../routing/routes.ts";
import { authorize } from "./authorize.ts";
import { refusalOf } from "./faults.ts";
import type { OauthParts } from "./parts.ts";
import { registerClient } from "./register.ts";
import { revokeToken } from "./revoke.ts";
import { issueTokens } from "./token.ts";

/**
 * OAuth without accounts (RFC 6749, 7009, 7591, 7636, 8707, 9207, 9700): an authorization makes a new agent, so there
 * is nobody to ask, and the refresh token brings it back. Client ids and codes are sealed by a key that all nodes
 * share, and a code is used up in the transaction that registers its agent and stores its grant.
 */
export function oauthGates(parts: OauthParts): readonly OpenGate[] {
  const registering = parts.registry.find(({ name }) => name === "identity.register");
  if (registering === undefined) throw new Error("There is an operation that registers.");
  const { oauth_register, oauth_authorize, oauth_token, oauth_revoke } = OAUTH;
  const gate = (
    path: OpenGate["path"],
    methods: OpenGate["methods"],
    answer: OpenGate["answer"],
  ): OpenGate => ({ path, methods, answer, refusal: refusalOf });
  return [
    gate(oauth_register.path, ["POST"], (request) => registerClient(parts, request)),
    gate(oauth_authorize.path, ["GET", "HEAD"], (request) => authorize(parts, request)),
    gate(oauth_token.path, ["POST"], (request) => issueTokens(parts, registering, request)),
    gate(oauth_revoke.path, ["POST"], (request) => revokeToken(parts, request)),
  ];
}
