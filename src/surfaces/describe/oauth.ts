import { DOCUMENTS } from "./fixed-documents.ts";
import { MCP, OAUTH } from "./fixed-routes.ts";

/** What an access token may do: `write` is everything, and what is asked for where nothing is named. */
export const SCOPES = ["read", "write"] as const;
export type Scope = (typeof SCOPES)[number];

export const GRANT_TYPES = ["authorization_code", "refresh_token"] as const;

/** A scope as OAuth says it: who may write may read. */
export const saidScope = (scope: Scope): string => (scope === "write" ? SCOPES.join(" ") : scope);

/** What a 401 of MCP says beside the realm, so that a host finds where it signs in (RFC 9728, 5.1). */
export const signInAt = (baseUrl: string): string =>
  `resource_metadata="${baseUrl}${DOCUMENTS.oauth_resource.path}${MCP.path}"`;

/** RFC 9728. Both doors are one resource: a token is good for each. */
export const resourceMetadata = (baseUrl: string) => ({
  resource: baseUrl + MCP.path,
  authorization_servers: [baseUrl],
  bearer_methods_supported: ["header"],
  scopes_supported: SCOPES,
  resource_name: "Cairn",
});

/** RFC 8414. `issuer` is written as answers of an authorization write `iss` (RFC 9207). */
export const serverMetadata = (baseUrl: string) => ({
  issuer: baseUrl,
  authorization_endpoint: baseUrl + OAUTH.oauth_authorize.path,
  token_endpoint: baseUrl + OAUTH.oauth_token.path,
  registration_endpoint: baseUrl + OAUTH.oauth_register.path,
  revocation_endpoint: baseUrl + OAUTH.oauth_revoke.path,
  scopes_supported: SCOPES,
  response_types_supported: ["code"],
  response_modes_supported: ["query"],
  grant_types_supported: GRANT_TYPES,
  code_challenge_methods_supported: ["S256"],
  token_endpoint_auth_methods_supported: ["none"],
  revocation_endpoint_auth_methods_supported: ["none"],
  authorization_response_iss_parameter_supported: true,
});
