import { type Revoked, revoke } from "../../domains/identity/grants/grants.ts";
import { sharedKey } from "../../domains/identity/shared-key.ts";
import { AGENT_TOKEN } from "../../domains/identity/token-forms.ts";
import { sha256 } from "../../platform/ledger/sha256.ts";
import { fault } from "./faults.ts";
import { faultOfMissing, formOf, say, sayFault } from "./form.ts";
import type { OauthParts, Request } from "./parts.ts";

const NEEDED = ["token", "client_id"] as const;

/** Clients go by the status (RFC 7009, 2.2); who reads the answer should know what was lost. */
const SAID: Readonly<Record<Exclude<Revoked, "other_client">, string>> = {
  nothing: "This token works no more, or never did.",
  access_token: "This access token has ended. The refresh token of its grant gives another one.",
  grant: "This grant has ended, with its tokens. Its agent has others.",
  last_grant:
    "This grant has ended, with its tokens. It was the last one of its agent: unless somebody has the agent's permanent token, nobody can act as it any more.",
};

const OF_AGENT = new RegExp(`^${AGENT_TOKEN}$`);

/** RFC 7009, 2.2.1. To say that such a token works no more would leave a leaked one in force. */
const NOT_OF_GRANT = fault(
  "unsupported_token_type",
  "This is an agent's permanent token, which no client ends. POST /api/v1/token/rotate replaces it. Nothing was done.",
);

/** Ends what a token stands for (RFC 7009). */
export async function revokeToken(parts: OauthParts, request: Request): Promise<void> {
  const form = await formOf(parts, request);
  if (form === null) return; // The sender went away.
  if (!(form instanceof URLSearchParams)) return sayFault(parts, request, form);
  const missing = faultOfMissing(form, NEEDED);
  if (missing !== null) return sayFault(parts, request, missing);
  const token = form.get("token") ?? "";
  if (OF_AGENT.test(token)) return sayFault(parts, request, NOT_OF_GRANT);
  const { context } = parts.dispatcher;
  const ended = await revoke(context, await sharedKey(context, "authorization"), {
    token,
    client_sha256: sha256(Buffer.from(form.get("client_id") ?? "")),
  });
  if (ended === "other_client")
    return sayFault(parts, request, fault("invalid_grant", "This token is of another client."));
  say(parts, request, { ok: true, notice: SAID[ended] });
}
