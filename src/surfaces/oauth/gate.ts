import { OAUTH } from "../describe/fixed-routes.ts";
import type { OpenGate } from "../routing/routes.ts";
import { authorize } from "./authorize.ts";
import type { OauthParts } from "./parts.ts";
import { registerClient } from "./register.ts";
import { exchangeCode } from "./token.ts";

/**
 * OAuth without accounts (RFC 6749, 7591, 7636, 8707, 9207): an authorization makes a new agent, so there is
 * nobody to ask and nothing to remember. Client ids and codes are sealed by a key that all nodes share, and
 * a code is used up in the transaction that registers its agent.
 */
export function oauthGates(parts: OauthParts): readonly OpenGate[] {
  const registering = parts.registry.find(({ name }) => name === "identity.register");
  if (registering === undefined) throw new Error("There is an operation that registers.");
  const { oauth_register, oauth_authorize, oauth_token } = OAUTH;
  const gate = (
    path: OpenGate["path"],
    methods: OpenGate["methods"],
    answer: OpenGate["answer"],
  ): OpenGate => ({ path, methods, answer });
  return [
    gate(oauth_register.path, ["POST"], (request) => registerClient(parts, request)),
    gate(oauth_authorize.path, ["GET", "HEAD"], (request) => authorize(parts, request)),
    gate(oauth_token.path, ["POST"], (request) => exchangeCode(parts, registering, request)),
  ];
}
