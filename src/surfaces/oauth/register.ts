import * as z from "zod";
import { sharedKey } from "../../domains/identity/shared-key.ts";
import { line } from "../../platform/kernel/text.ts";
import { GRANT_TYPES, SCOPES, saidScope } from "../describe/oauth.ts";
import { JSON_TYPE, NO_STORE } from "../wire/answer.ts";
import { bodyOf } from "../wire/body.ts";
import { type Fault, fault } from "./faults.ts";
import { type OauthParts, type Request, reading } from "./parts.ts";
import { faultOfRedirect, REDIRECT_MAX_CHARS, REDIRECTS_MAX } from "./redirects.ts";
import { scopeIn } from "./scopes.ts";
import { nonceOf, seal, unseal } from "./sealed.ts";

const NAME_MAX_CHARS = 200;

const SCOPE_MAX_CHARS = 500;

const metadata = z.looseObject({
  redirect_uris: z.array(z.string()).min(1).max(REDIRECTS_MAX),
  client_name: line(1, NAME_MAX_CHARS).optional().catch(undefined),
  grant_types: z.array(z.string()).optional().catch(undefined),
  scope: z.string().max(SCOPE_MAX_CHARS).optional().catch(undefined),
});

const client = z.object({
  redirect_uris: z.array(z.string()),
  name: z.string().nullable(),
  /** Whether it will refresh its access tokens. */
  refreshes: z.boolean(),
  scope: z.enum(SCOPES),
});

export type Client = z.infer<typeof client>;

const REDIRECTS_NEEDED = fault(
  "invalid_client_metadata",
  `redirect_uris must be a list of 1 to ${REDIRECTS_MAX} addresses of at most ${REDIRECT_MAX_CHARS} characters.`,
);

const SCOPE_UNKNOWN = fault(
  "invalid_client_metadata",
  "scope must be read, or read write, or be left out.",
);

/** Registers a client (RFC 7591). Nothing is stored: its id seals what it has said. */
export async function registerClient(parts: OauthParts, request: Request): Promise<void> {
  const { answers } = parts;
  const { context } = parts.dispatcher;
  const { exchange, head } = request;
  const sent = await bodyOf(exchange.req, head.fields, reading(request, parts));
  if (sent === null) return; // The sender went away.
  const headers = answers.headers(JSON_TYPE, NO_STORE);
  const { data } = metadata.safeParse(sent);
  const refused = data === undefined ? REDIRECTS_NEEDED : faultOfAll(data.redirect_uris, parts);
  if (data === undefined || refused !== null)
    return answers.send(exchange, 400, headers, JSON.stringify(refused));
  const { redirect_uris, client_name, grant_types } = data;
  const scope = scopeIn(data.scope ?? null, "write");
  if (scope === null) return answers.send(exchange, 400, headers, JSON.stringify(SCOPE_UNKNOWN));
  const key = await sharedKey(context, "authorization");
  const refreshes = grant_types?.includes("refresh_token") ?? false;
  const said: Client = { redirect_uris, name: client_name ?? null, refreshes, scope };
  const made = {
    client_id: seal(key, nonceOf(context.random), "client", said),
    client_id_issued_at: context.clock.now(),
    redirect_uris,
    token_endpoint_auth_method: "none",
    grant_types: refreshes ? GRANT_TYPES : GRANT_TYPES.slice(0, 1),
    response_types: ["code"],
    client_name,
    scope: saidScope(scope),
  };
  answers.send(exchange, 201, headers, JSON.stringify(made));
}

function faultOfAll(
  uris: readonly string[],
  { callbacks }: Pick<OauthParts, "callbacks">,
): Fault | null {
  for (const [i, uri] of uris.entries()) {
    const problem = faultOfRedirect(uri, callbacks);
    if (problem !== null) return fault("invalid_redirect_uri", `redirect_uris/${i} ${problem}.`);
  }
  return null;
}

/** What a client has said; undefined when nobody has registered it here. */
export const clientIn = (key: Uint8Array, client_id: string): Client | undefined =>
  client.safeParse(unseal(key, "client", client_id)).data;
