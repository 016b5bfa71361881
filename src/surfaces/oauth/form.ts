import type { HeaderList } from "../wire/answer.ts";
import { JSON_TYPE, NO_STORE } from "../wire/answer.ts";
import { FORM_TYPE, textOf } from "../wire/body.ts";
import { type Fault, fault, faultOfTwice } from "./faults.ts";
import { type OauthParts, type Request, reading } from "./parts.ts";

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

/** The form of a request, or why it is none; null when its sender went away. */
export async function formOf(
  parts: OauthParts,
  request: Request,
): Promise<URLSearchParams | Fault | null> {
  const { exchange, head } = request;
  const sent = await textOf(exchange.req, head.fields, reading(request, parts));
  if (sent === null) return null;
  if (!FORM_TYPE.test(head.fields.contentType ?? ""))
    return fault("invalid_request", "Send the parameters as application/x-www-form-urlencoded.");
  const form = parametersOf(sent, head.fields.authorization);
  return faultOfTwice(form) ?? form;
}

/** The first of these parameters that was not sent. */
export function faultOfMissing(form: URLSearchParams, names: readonly string[]): Fault | null {
  const missing = names.find((name) => !form.get(name));
  return missing === undefined ? null : fault("invalid_request", `${missing} is missing.`);
}

const headers = ({ answers }: OauthParts, more: HeaderList = []): HeaderList =>
  answers.headers(JSON_TYPE, NO_STORE, more);

/** Answers with what OAuth says. */
export const say = (parts: OauthParts, { exchange }: Request, said: object): void =>
  parts.answers.send(exchange, 200, headers(parts), JSON.stringify(said));

export const sayFault = (parts: OauthParts, { exchange }: Request, refused: Fault): void =>
  parts.answers.send(exchange, 400, headers(parts), JSON.stringify(refused));
