import { hash } from "node:crypto";
import * as z from "zod";
import { CODE_LIVES_S } from "../../domains/identity/authorizations/authorizations.ts";
import { sharedKey } from "../../domains/identity/shared-key.ts";
import { SCOPES, saidScope } from "../describe/oauth.ts";
import { JSON_TYPE, NO_STORE } from "../wire/answer.ts";
import { type Fault, fault, faultOfResource, faultOfTwice } from "./faults.ts";
import type { OauthParts, Request } from "./parts.ts";
import { faultOfRedirect, isSameRedirect } from "./redirects.ts";
import { type Client, clientIn } from "./register.ts";
import { scopeIn } from "./scopes.ts";
import { nonceOf, seal, unseal } from "./sealed.ts";

/** SHA-256 in base64url. */
const CHALLENGE = /^[\w-]{43}$/;

const names = z.object({ network: z.string(), site: z.string().nullable() });

const code = z.object({
  challenge: z.string(),
  redirect_sha256: z.string(),
  client_sha256: z.string(),
  client_name: z.string().nullable(),
  refreshes: z.boolean(),
  scope: z.enum(SCOPES),
  expires_at: z.int(),
  /** Who asked for it: the network that the registration is charged to. */
  sender: names.extend({ earlier: names.nullable() }).nullable(),
});

export type Code = z.infer<typeof code>;

/** What a code holds; undefined when it was not made here. */
export const codeIn = (key: Uint8Array, text: string): Code | undefined =>
  code.safeParse(unseal(key, "code", text)).data;

/** A client of whose own address nothing is known yet: no answer is sent there. */
function faultOfClient(
  query: URLSearchParams,
  client: Client | undefined,
  callbacks: readonly string[],
): Fault | null {
  const repeated = faultOfTwice(query);
  if (repeated !== null) return repeated;
  if (client === undefined)
    return fault("invalid_client", "Nobody has this client_id. Register at /oauth/register first.");
  const redirect_uri = query.get("redirect_uri") ?? "";
  if (!client.redirect_uris.some((each) => isSameRedirect(each, redirect_uri)))
    return fault("invalid_request", "redirect_uri must be one that this client has registered.");
  const problem = faultOfRedirect(redirect_uri, callbacks);
  return problem === null ? null : fault("invalid_request", `redirect_uri ${problem}.`);
}

function faultOfAsking(query: URLSearchParams, baseUrl: string): Fault | null {
  if (query.get("response_type") !== "code")
    return fault("unsupported_response_type", "response_type must be code.");
  const isHashed = query.get("code_challenge_method") === "S256";
  if (!isHashed || !CHALLENGE.test(query.get("code_challenge") ?? ""))
    return fault("invalid_request", "Send a code_challenge with code_challenge_method S256.");
  return faultOfResource(query, baseUrl);
}

/** Sends a code to the client, at once: there is nobody to ask (RFC 6749, 4.1; RFC 9207). */
export async function authorize(parts: OauthParts, request: Request): Promise<void> {
  const { answers, baseUrl, callbacks } = parts;
  const { context } = parts.dispatcher;
  const { exchange, head, sender } = request;
  const query = new URLSearchParams(head.target.query);
  const [client_id = "", redirect_uri = ""] = ["client_id", "redirect_uri"].map(
    (name) => query.get(name) ?? "",
  );
  const key = await sharedKey(context, "authorization");
  const client = clientIn(key, client_id);
  const refused = faultOfClient(query, client, callbacks);
  if (refused !== null || client === undefined) {
    const headers = answers.headers(JSON_TYPE, NO_STORE);
    return answers.send(exchange, 400, headers, JSON.stringify(refused));
  }
  const scope = scopeIn(query.get("scope"), client.scope);
  const granted =
    scope &&
    ({
      challenge: query.get("code_challenge") ?? "",
      redirect_sha256: hash("sha256", redirect_uri),
      client_sha256: hash("sha256", client_id),
      client_name: client.name,
      refreshes: client.refreshes,
      scope,
      expires_at: context.clock.now() + CODE_LIVES_S,
      sender,
    } satisfies Code | null);
  const said =
    faultOfAsking(query, baseUrl) ??
    (granted === null
      ? fault("invalid_scope", `scope must be ${saidScope(client.scope)}, or be left out.`)
      : { code: seal(key, nonceOf(context.random), "code", granted) });
  const state = query.get("state");
  const answer = new URLSearchParams({ ...said, ...(state !== null && { state }), iss: baseUrl });
  const to = `${redirect_uri}${redirect_uri.includes("?") ? "&" : "?"}${answer}`;
  answers.send(exchange, 302, answers.headers(NO_STORE, ["Location", to]));
}
