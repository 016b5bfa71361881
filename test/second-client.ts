import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  randomBytes,
  sign,
  verify,
} from "node:crypto";

/**
 * A second implementation of docs/reference/messages.md, written from that page and RFC 9180 with
 * nothing but node:crypto. It shares no code with the client.
 */

const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");
const bytesOf = (text: string) => Buffer.from(text, "base64url");

/** I2OSP(n, 2). */
const short = (n: number) => Buffer.from([n >> 8, n & 255]);

const KEM = Buffer.concat([Buffer.from("KEM"), short(0x0020)]);
const HPKE = Buffer.concat([Buffer.from("HPKE"), short(0x0020), short(0x0001), short(0x0003)]);

const hmac = (key: Uint8Array, data: Uint8Array) => createHmac("sha256", key).update(data).digest();

const labeledExtract = (suite: Buffer, salt: Uint8Array, label: string, ikm: Uint8Array) =>
  hmac(
    salt.length === 0 ? Buffer.alloc(32) : salt,
    Buffer.concat([Buffer.from("HPKE-v1"), suite, Buffer.from(label), ikm]),
  );

/** For at most 32 bytes, so that one round of HKDF-Expand is enough. */
function labeledExpand(
  suite: Buffer,
  prk: Uint8Array,
  [label, length]: readonly [string, number],
  info: Uint8Array,
) {
  const of = [short(length), Buffer.from("HPKE-v1"), suite, Buffer.from(label), info];
  return hmac(prk, Buffer.concat([...of, Buffer.from([1])])).subarray(0, length);
}

const privateKeyOf = (crv: "X25519" | "Ed25519", d: string, x: string) =>
  createPrivateKey({ key: { kty: "OKP", crv, d, x }, format: "jwk" });
const publicKeyOf = (crv: "X25519" | "Ed25519", x: string) =>
  createPublicKey({ key: { kty: "OKP", crv, x }, format: "jwk" });

/** The public half of an X25519 secret (RFC 8410: a PKCS #8 prefix and 32 bytes). */
function publicHalf(secret: Uint8Array): Buffer {
  const der = Buffer.concat([Buffer.from("302e020100300506032b656e04220420", "hex"), secret]);
  const key = createPublicKey(createPrivateKey({ key: der, format: "der", type: "pkcs8" }));
  return bytesOf(String(key.export({ format: "jwk" }).x));
}

/** DeriveKeyPair (RFC 9180, 7.1.3). */
export function deriveSecret(ikm: Uint8Array): Buffer {
  const prk = labeledExtract(KEM, Buffer.alloc(0), "dkp_prk", ikm);
  return labeledExpand(KEM, prk, ["sk", 32], Buffer.alloc(0));
}

interface Context {
  /** The recipient's public key. */
  readonly key: Uint8Array;
  readonly enc: Uint8Array;
  readonly info: string;
}

/** Encap and KeySchedule of base mode, as far as one message needs it. */
function schedule(secret: Uint8Array, peer: Uint8Array, { key, enc, info }: Context) {
  const privateKey = privateKeyOf("X25519", base64url(secret), base64url(publicHalf(secret)));
  const dh = diffieHellman({ privateKey, publicKey: publicKeyOf("X25519", base64url(peer)) });
  const none = Buffer.alloc(0);
  const eae = labeledExtract(KEM, none, "eae_prk", dh);
  const shared = labeledExpand(KEM, eae, ["shared_secret", 32], Buffer.concat([enc, key]));
  const context = Buffer.concat([
    Buffer.from([0]),
    labeledExtract(HPKE, none, "psk_id_hash", none),
    labeledExtract(HPKE, none, "info_hash", Buffer.from(info)),
  ]);
  const prk = labeledExtract(HPKE, shared, "secret", none);
  return {
    key: labeledExpand(HPKE, prk, ["key", 32], context),
    nonce: labeledExpand(HPKE, prk, ["base_nonce", 12], context),
  };
}

interface Message {
  readonly info: string;
  readonly aad: string;
  readonly bytes: Uint8Array;
}

/** HPKE base mode, the first message: `enc` and the ciphertext. */
export function hpkeSeal(key: Uint8Array, ephemeral: Uint8Array, { info, aad, bytes }: Message) {
  const enc = publicHalf(ephemeral);
  const with_ = schedule(ephemeral, key, { key, enc, info });
  const options = { authTagLength: 16 } as const;
  const cipher = createCipheriv("chacha20-poly1305", with_.key, with_.nonce, options);
  cipher.setAAD(Buffer.from(aad), { plaintextLength: bytes.length });
  const ciphertext = Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
  return { enc, ciphertext };
}

/** Throws when it does not open. */
export function hpkeOpen(secret: Uint8Array, enc: Uint8Array, { info, aad, bytes }: Message) {
  const context = schedule(secret, enc, { key: publicHalf(secret), enc, info });
  const options = { authTagLength: 16 } as const;
  const decipher = createDecipheriv("chacha20-poly1305", context.key, context.nonce, options);
  decipher.setAAD(Buffer.from(aad), { plaintextLength: bytes.length - 16 });
  decipher.setAuthTag(bytes.subarray(-16));
  return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]);
}

const INFO = "agent-network/dm/v1";

export interface SecondKeys {
  readonly encryption: string;
  readonly encryptionSecret: string;
  readonly signing: string;
  readonly signingSecret: string;
}

interface Letter {
  readonly from: string;
  readonly to: string;
  readonly ts: number;
  readonly nonce: string;
  readonly body: string;
}

/** Canonical JSON of a flat object: names in order, and what JSON.stringify makes of the values. */
const canonical = (fields: object) =>
  JSON.stringify(Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1))));

const signedText = (letter: object) =>
  Buffer.from(`agent-network/dm-signature/v1\n${canonical(letter)}`);
const keyId = (key: Uint8Array) => createHash("sha256").update(key).digest().subarray(0, 8);

/** A box, as the page says; `ephemeral` is an X25519 secret. */
export function secondSeal(
  { from, to, ts, nonce, body }: Letter,
  keys: Pick<SecondKeys, "signing" | "signingSecret">,
  recipient: string,
  ephemeral: Uint8Array = randomBytes(32),
): string {
  const letter = { v: 1, from, to, ts, nonce, body };
  const key = privateKeyOf("Ed25519", keys.signingSecret, keys.signing);
  const sig = sign(null, signedText(letter), key).toString("base64");
  const text = Buffer.from(canonical({ ...letter, sig }));
  const zeros = 255 - (text.length % 256);
  const bytes = Buffer.concat([text, Buffer.from([0x80]), Buffer.alloc(zeros)]);
  const to_key = bytesOf(recipient);
  const sealed = hpkeSeal(to_key, ephemeral, { info: INFO, aad: `${from}|${to}`, bytes });
  const box = [keyId(to_key), sealed.enc, sealed.ciphertext];
  return `hpke1.${base64url(Buffer.concat(box))}`;
}

/** The letter in a box, if it is for these keys and signed with `signing`; throws when not. */
export function secondOpen(
  box: string,
  { from, to }: Pick<Letter, "from" | "to">,
  keys: SecondKeys,
  signing: string,
): Letter {
  if (!box.startsWith("hpke1.")) throw new Error("another scheme");
  const bytes = bytesOf(box.slice(6));
  if (!bytes.subarray(0, 8).equals(keyId(bytesOf(keys.encryption)))) throw new Error("another key");
  const padded = hpkeOpen(bytesOf(keys.encryptionSecret), bytes.subarray(8, 40), {
    info: INFO,
    aad: `${from}|${to}`,
    bytes: bytes.subarray(40),
  });
  const { sig, ...letter } = JSON.parse(padded.subarray(0, padded.lastIndexOf(0x80)).toString());
  const isSigned = verify(
    null,
    signedText(letter),
    publicKeyOf("Ed25519", signing),
    Buffer.from(sig, "base64"),
  );
  if (!isSigned || letter.from !== from || letter.to !== to) throw new Error("another hand");
  return letter;
}
