import { hash } from "node:crypto";
import * as z from "zod";
import { spending } from "../../identity/authorizations/authorizations.ts";
import { sharedKey } from "../../identity/shared-key.ts";
import type { Seconds } from "../../kernel/time.ts";
import { sha256 } from "../../ledger/sha256.ts";
import { invoke } from "../dispatch/invoke.ts";
import type { BoundOperation } from "../dispatch/registry.ts";
import { JSON_TYPE, NO_STORE } from "../wire/answer.ts";
import { FORM_TYPE, textOf } from "../wire/body.ts";
import { waiterOf } from "../wire/waiter.ts";
import { type Code, codeIn } from "./authorize.ts";
import { type Fault, fault, faultOfResource, faultOfTwice } from "./faults.ts";
import { type OauthParts, type Request, reading } from "./parts.ts";

const VERIFIER = /^[\w.~-]{43,128}$/;
const NEEDED = ["code", "client_id", "redirect_uri", "code_verifier"] as const;

/**
 * The parameters of a form, and the name of a client that sends it as HTTP Basic instead (RFC 6749, 2.3.1). No
 * client has a secret here, so a password is not looked at. Two names that differ are a parameter sent twice.
 */
function parametersOf(text: string, authorization: string | undefined): URLSearchParams {
  const form = new URLSearchParams(text);
  const [, encoded] = /^Basic +([\w+/=]+)$/i.exec(authorization ?? "") ?? [];
  if (encoded === undefined) return form;
  const [name = ""] = Buffer.from(encoded, "base64").toString().split(":");
  const client_id = new URLSearchParams(`name=${name}`).get("name") ?? "";
  if (form.get("client_id") !== client_id) form.append("client_id", client_id);
  return form;
}

interface Opened {
  readonly code: Code | undefined;
  readonly baseUrl: string;
  readonly now: Seconds;
}

function faultOfExchange(form: URLSearchParams, { code, baseUrl, now }: Opened): Fault | null {
  const repeated = faultOfTwice(form);
  if (repeated !== null) return repeated;
  if (form.get("grant_type") !== "authorization_code")
    return fault("unsupported_grant_type", "grant_type must be authorization_code.");
  const missing = NEEDED.find((name) => !form.get(name));
  if (missing !== undefined) return fault("invalid_request", `${missing} is missing.`);
  if (code === undefined || now >= code.expires_at)
    return fault("invalid_grant", "This code is unknown or over. Begin with an authorization.");
  const verifier = form.get("code_verifier") ?? "";
  if (!VERIFIER.test(verifier) || hash("sha256", verifier, "base64url") !== code.challenge)
    return fault("invalid_grant", "code_verifier does not fit the code_challenge.");
  const of = (name: string) => hash("sha256", form.get(name) ?? "");
  if (of("client_id") !== code.client_sha256 || of("redirect_uri") !== code.redirect_sha256)
    return fault("invalid_grant", "client_id and redirect_uri must be those of the authorization.");
  return faultOfResource(form, baseUrl);
}

/** Exchanges a code for the token of a new agent (RFC 6749, 4.1.3; RFC 7636). */
export async function exchangeCode(
  parts: OauthParts,
  registering: BoundOperation,
  request: Request,
): Promise<void> {
  const { answers, baseUrl } = parts;
  const { context } = parts.dispatcher;
  const { exchange, head } = request;
  const sent = await textOf(exchange.req, head.fields, reading(request, parts));
  if (sent === null) return; // The sender went away.
  const headers = answers.headers(JSON_TYPE, NO_STORE);
  const isForm = FORM_TYPE.test(head.fields.contentType ?? "");
  const form = parametersOf(isForm ? sent : "", head.fields.authorization);
  const text = form.get("code") ?? "";
  const code = codeIn(await sharedKey(context, "authorization"), text);
  const refused = isForm
    ? faultOfExchange(form, { code, baseUrl, now: context.clock.now() })
    : fault("invalid_request", "Send the parameters as application/x-www-form-urlencoded.");
  if (refused !== null || code === undefined)
    return answers.send(exchange, 400, headers, JSON.stringify(refused));
  try {
    const access_token = await newAgent(parts, registering, { request, text, code });
    const body = JSON.stringify({ access_token, token_type: "Bearer" });
    answers.send(exchange, 200, headers, body);
  } catch (error) {
    refuse(parts, request, error);
  }
}

interface Granted {
  readonly request: Request;
  readonly text: string;
  readonly code: Code;
}

/** The token of a new agent, whose registration uses the code up and is charged to who asked for it. */
async function newAgent(
  { dispatcher, senders }: OauthParts,
  registering: BoundOperation,
  { request, text, code: { expires_at, sender } }: Granted,
): Promise<string> {
  const { context } = dispatcher;
  const write = spending(context, { code_sha256: sha256(Buffer.from(text)), expires_at });
  const invocation = {
    agent: null,
    sender,
    afterAnswer: () => {},
    waiter: waiterOf({ ...request, agent: null }, senders),
    stillCaller: async () => null,
  };
  const own = { ...dispatcher, context: { ...context, write } };
  const made = await invoke(registering, own, invocation, {});
  return z.object({ token: z.string() }).parse(made).token;
}

/** A refusal of the registration in the words of OAuth. */
function refuse({ answers }: OauthParts, { exchange }: Request, error: unknown): void {
  const { status, message, retryAfter_s } = answers.heardOf(exchange, error);
  const mayCome = status === 429 || status === 503;
  const name = mayCome ? "temporarily_unavailable" : "invalid_grant";
  const wait = retryAfter_s === undefined ? [] : ["Retry-After", String(retryAfter_s)];
  // Its characters are those of RFC 6749, 5.2, which has no double quotes.
  const said = fault(status === 500 ? "server_error" : name, message.replaceAll('"', "'"));
  const answered = mayCome || status === 500 ? status : 400;
  const headers = answers.headers(JSON_TYPE, NO_STORE, wait);
  answers.send(exchange, answered, headers, JSON.stringify(said));
}
