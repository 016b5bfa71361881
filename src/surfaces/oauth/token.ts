import { hash } from "node:crypto";
import { spendCode } from "../../domains/identity/authorizations/authorizations.ts";
import {
  endTokensOfCode,
  type Issued,
  newGrant,
  refresh,
  type Unrefreshed,
} from "../../domains/identity/grants/grants.ts";
import { registerAgent } from "../../domains/identity/registrations/registering.ts";
import { sharedKey } from "../../domains/identity/shared-key.ts";
import { Rejection } from "../../platform/kernel/contract/errors.ts";
import { sha256 } from "../../platform/ledger/sha256.ts";
import { GRANT_TYPES, saidScope } from "../describe/oauth.ts";
import { invoke } from "../dispatch/invoke.ts";
import type { BoundOperation } from "../dispatch/registry.ts";
import { waiterOf } from "../wire/waiter.ts";
import { type Code, codeIn } from "./authorize.ts";
import { type Fault, fault, faultOfResource } from "./faults.ts";
import { faultOfMissing, formOf, say, sayFault } from "./form.ts";
import type { OauthParts, Request } from "./parts.ts";
import { scopeWithin } from "./scopes.ts";

const VERIFIER = /^[\w.~-]{43,128}$/;
const OF_CODE = ["code", "client_id", "redirect_uri", "code_verifier"] as const;
const OF_REFRESH = ["refresh_token", "client_id"] as const;

/** Tokens for a code or for a refresh token (RFC 6749, 4.1.3 and 6). */
export async function issueTokens(
  parts: OauthParts,
  registering: BoundOperation,
  request: Request,
): Promise<void> {
  const form = await formOf(parts, request);
  if (form === null) return; // The sender went away.
  if (!(form instanceof URLSearchParams)) return sayFault(parts, request, form);
  const said = await tokensFor(parts, registering, { request, form });
  return "error" in said ? sayFault(parts, request, said) : say(parts, request, tokensOf(said));
}

/** RFC 6749, 5.1. */
const tokensOf = ({ access_token, expires_in, refresh_token, scope }: Issued) => ({
  access_token,
  token_type: "Bearer",
  ...(expires_in !== null && { expires_in }),
  ...(refresh_token !== null && { refresh_token }),
  scope: saidScope(scope),
});

interface Asking {
  readonly request: Request;
  readonly form: URLSearchParams;
}

async function tokensFor(
  parts: OauthParts,
  registering: BoundOperation,
  { request, form }: Asking,
): Promise<Issued | Fault> {
  const type = form.get("grant_type");
  if (type === "authorization_code") return exchanged(parts, registering, { request, form });
  if (type === "refresh_token") return refreshed(parts, form);
  return fault("unsupported_grant_type", `grant_type must be ${GRANT_TYPES.join(" or ")}.`);
}

function faultOfExchange(form: URLSearchParams, code: Code, baseUrl: string): Fault | null {
  const verifier = form.get("code_verifier") ?? "";
  if (!VERIFIER.test(verifier) || hash("sha256", verifier, "base64url") !== code.challenge)
    return fault("invalid_grant", "code_verifier does not fit the code_challenge.");
  const of = (name: string) => hash("sha256", form.get(name) ?? "");
  if (of("client_id") !== code.client_sha256 || of("redirect_uri") !== code.redirect_sha256)
    return fault("invalid_grant", "client_id and redirect_uri must be those of the authorization.");
  return faultOfResource(form, baseUrl);
}

const NO_CODE = fault(
  "invalid_grant",
  "This code is unknown or over. Begin with an authorization.",
);

const REPLAYED = fault(
  "invalid_grant",
  "This code was used before, so the access tokens that it gave have ended. Their refresh token works.",
);

/**
 * The tokens of a new agent for a code (RFC 6749, 4.1.3; RFC 7636). Its registration uses the code up, stores the
 * grant, and is charged to who asked for the code. Nobody ever sees its permanent token. A code that is sent once more
 * ends the access tokens that it gave.
 */
async function exchanged(
  { dispatcher, senders, baseUrl }: OauthParts,
  registering: BoundOperation,
  { request, form }: Asking,
): Promise<Issued | Fault> {
  const { context } = dispatcher;
  const missing = faultOfMissing(form, OF_CODE);
  if (missing !== null) return missing;
  const text = form.get("code") ?? "";
  const key = await sharedKey(context, "authorization");
  const code = codeIn(key, text);
  if (code === undefined) return NO_CODE;
  const refused = faultOfExchange(form, code, baseUrl);
  if (refused !== null) return refused;
  const code_sha256 = sha256(Buffer.from(text));
  if (context.clock.now() >= code.expires_at)
    return (await endTokensOfCode(context, code_sha256)) ? REPLAYED : NO_CODE;
  const { expires_at, sender, client_name, scope, refreshes } = code;
  const client_sha256 = Buffer.from(code.client_sha256, "hex");
  const grant = newGrant(context, key, { client_sha256, client_name, scope, refreshes });
  const spent = { code_sha256, expires_at, family_sha256: grant.family_sha256 };
  const granting: BoundOperation = {
    ...registering,
    run: (own) =>
      registerAgent({ ...own, reject: context.reject }, {}, async (tx, agent) => {
        await spendCode(tx, context, spent);
        await grant.store(tx, agent);
      }),
  };
  const invocation = {
    agent: null,
    sender,
    afterAnswer: () => {},
    waiter: waiterOf({ ...request, agent: null }, senders),
    stillCaller: async () => null,
  };
  try {
    await invoke(granting, dispatcher, invocation, {});
    return grant.issued;
  } catch (error) {
    if (!(error instanceof Rejection) || error.code !== "validation_failed") throw error;
    const isReplayed = await endTokensOfCode(context, code_sha256);
    return isReplayed ? REPLAYED : fault("invalid_grant", error.message);
  }
}

const UNREFRESHED: Readonly<Record<Unrefreshed, Fault>> = {
  unknown: fault("invalid_grant", "This refresh token is unknown, or its grant has ended."),
  reused: fault(
    "invalid_grant",
    "This refresh token was used before the last one, so the access tokens of its grant have ended. Its newest refresh token works.",
  ),
  other_client: fault("invalid_grant", "This refresh token is of another client."),
  wider_scope: fault("invalid_scope", "The grant has a smaller scope. Leave scope out."),
};

/** The next tokens of a grant (RFC 6749, 6; RFC 9700, 4.14.2). */
async function refreshed(
  { dispatcher: { context }, baseUrl }: OauthParts,
  form: URLSearchParams,
): Promise<Issued | Fault> {
  const refused = faultOfMissing(form, OF_REFRESH) ?? faultOfResource(form, baseUrl);
  if (refused !== null) return refused;
  const issued = await refresh(context, await sharedKey(context, "authorization"), {
    token: form.get("refresh_token") ?? "",
    client_sha256: sha256(Buffer.from(form.get("client_id") ?? "")),
    scopeOf: (granted) => scopeWithin(form.get("scope"), granted),
  });
  return typeof issued === "string" ? UNREFRESHED[issued] : issued;
}
