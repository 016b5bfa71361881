import { hash } from "node:crypto";
import { canonicalJson, type Json } from "../../platform/kernel/canonical.ts";
import type { CardSignature } from "../../platform/ledger/seals/card-signatures.ts";
import type { SigningKey } from "../../platform/ledger/seals/signer.ts";
import { DOCUMENTS } from "./fixed-documents.ts";

/** Where the keys are that sign cards. */
export const keySetUrl = (baseUrl: string): string => baseUrl + DOCUMENTS.jwks.path;

/** The name of a card in the storage: the SHA-256 of its RFC 8785 text, without signatures. */
export const cardHash = (card: Json): string => hash("sha256", canonicalJson(card));

/**
 * The signatures of a card (A2A 1.0, 8.4). The first covers the RFC 8785 text of all that is served but
 * `signatures`. The second covers what the SDKs see, which drop fields that 1.0 does not know.
 */
export async function signaturesOf(
  card: Readonly<Record<string, Json>>,
  key: SigningKey,
  jku: string,
): Promise<readonly CardSignature[]> {
  const { AgentCard, canonicalizeAgentCard } = await import("@a2a-js/sdk");
  const known = canonicalizeAgentCard(AgentCard.fromJSON(card));
  return [
    jws(canonicalJson(card), key, jku),
    { ...jws(known, key, jku), header: { covers: "the fields of A2A 1.0" } },
  ];
}

/** RFC 7515, 5.1, with EdDSA (RFC 8037). The key signs text, and its signature is plain base64. */
function jws(payload: string, key: SigningKey, jku: string): CardSignature {
  const header = { alg: "EdDSA", typ: "JOSE", kid: key.pubkey, jku };
  const head = base64url(JSON.stringify(header));
  const signature = key.sign(`${head}.${base64url(payload)}`);
  return {
    protected: head,
    signature: Buffer.from(signature, "base64").toString("base64url"),
  };
}

const base64url = (text: string): string => Buffer.from(text).toString("base64url");

/** The operator's keys, the current one first, as a key set (RFC 7517; RFC 8037). */
export const keySetOf = (keys: readonly string[]) => ({
  keys: keys.map((pubkey) => ({
    kty: "OKP",
    crv: "Ed25519",
    alg: "EdDSA",
    use: "sig",
    kid: pubkey,
    x: Buffer.from(pubkey, "hex").toString("base64url"),
  })),
});
