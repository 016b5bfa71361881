import { Rejection } from "../../platform/kernel/contract/errors.ts";
import type { Incoming } from "../incoming/incoming.ts";
import { FORM_TYPE } from "../wire/body.ts";
import type { Fields } from "../wire/edge.ts";
import { PICKED, type Sent } from "./form.ts";

const FORM_MAX_BYTES = 64 * 1_024;

/** The fields of a form; boxes that are ticked are one field, parted by commas. Rejects with 415 for another type and with 413 for more than 64 KiB. */
export async function formOf(req: Incoming, fields: Fields): Promise<Sent> {
  const { contentType, contentLength, transferEncoding } = fields;
  const bytes = Number(contentLength ?? 0);
  if (bytes === 0 && transferEncoding === undefined) return {};
  if (!FORM_TYPE.test(contentType ?? ""))
    throw new Rejection("unsupported_media_type", "Send the form of a page.");
  if (bytes > FORM_MAX_BYTES) throw TOO_LARGE;
  const body = req.complete
    ? req.takeBody(FORM_MAX_BYTES)
    : await req.restOfBody(FORM_MAX_BYTES, () => {});
  if (body === "excess") throw TOO_LARGE;
  const sent: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(body?.toString("utf8")))
    sent[name] = name === PICKED && sent[name] !== undefined ? `${sent[name]},${value}` : value;
  return sent;
}

const TOO_LARGE = new Rejection("body_too_large", "A form may have at most 65536 bytes.");
