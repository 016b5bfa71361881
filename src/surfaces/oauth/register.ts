import * as z from "zod";
import { sharedKey } from "../../identity/shared-key.ts";
import { JSON_TYPE, NO_STORE } from "../wire/answer.ts";
import { bodyOf } from "../wire/body.ts";
import { type Fault, fault } from "./faults.ts";
import { type OauthParts, type Request, reading } from "./parts.ts";
import { faultOfRedirect, REDIRECT_MAX_CHARS, REDIRECTS_MAX } from "./redirects.ts";
import { nonceOf, seal, unseal } from "./sealed.ts";

const NAME_MAX_CHARS = 200;

const metadata = z.looseObject({
  redirect_uris: z.array(z.string()).min(1).max(REDIRECTS_MAX),
  client_name: z.string().max(NAME_MAX_CHARS).optional().catch(undefined),
});

const client = z.array(z.string());

const REDIRECTS_NEEDED = fault(
  "invalid_client_metadata",
  `redirect_uris must be a list of 1 to ${REDIRECTS_MAX} addresses of at most ${REDIRECT_MAX_CHARS} characters.`,
);

/** Registers a client (RFC 7591). Nothing is stored: its id seals its redirect URIs. */
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
  const { redirect_uris, client_name } = data;
  const key = await sharedKey(context, "authorization");
  const made = {
    client_id: seal(key, nonceOf(context.random), "client", redirect_uris),
    client_id_issued_at: context.clock.now(),
    redirect_uris,
    token_endpoint_auth_method: "none",
    grant_types: ["authorization_code"],
    response_types: ["code"],
    client_name,
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

/** The redirect URIs of a client; undefined when nobody has registered it here. */
export const redirectsOf = (key: Uint8Array, client_id: string): readonly string[] | undefined =>
  client.safeParse(unseal(key, "client", client_id)).data;
