import type { EntryBody } from "../../kernel/proof/entry.ts";
import { announcementMessage } from "../../kernel/proof/seal-text.ts";
import { textIn } from "../rows/told.ts";
import { verifySignature } from "../seals/ed25519.ts";

/** The signed text without its origin, which may have changed since; the signature covers that, too. */
export const withoutOrigin = (message: string): string => message.replace(/^origin .*$/m, "origin");

/** Whether an announcement has the signature of the key that it names; that covers its origin, too. */
export function isSigned(message: string, signature: string): boolean {
  const [, key] = /^key ([0-9a-f]{64})$/m.exec(message) ?? [];
  if (key === undefined) return false;
  const text = new TextEncoder().encode(message);
  return verifySignature(Uint8Array.fromHex(key), text, Buffer.from(signature, "base64"));
}

/** The text that an entry says to be signed, without its origin. */
export const sealedMessage = (body: EntryBody): string =>
  withoutOrigin(
    announcementMessage({
      origin: "",
      id: Number(body["announcement_id"]),
      signed_at: Number(body["signed_at"]),
      pubkey: textIn({ body }, "pubkey"),
      kind: textIn({ body }, "announcement_kind"),
      title_sha256: textIn({ body }, "title_sha256"),
      body_sha256: textIn({ body }, "body_sha256"),
    }),
  );
