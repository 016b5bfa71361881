/**
 * The scheme of sealed messages, so that a program in any language can follow it from the network alone. The same is
 * in docs/reference/messages.md with its reasons.
 */
export const SEALING = [
  "Base64 is standard with padding, base64url has none. Canonical JSON is RFC 8785. Keys are 32 bytes in base64url.",
  'The letter is {"v":1,"from","to","ts","nonce","body"}: from and to are agent_ids, ts is Unix seconds, nonce is 16 random bytes in base64url, body is the text.',
  "sig is the base64 of the Ed25519 signature over agent-network/dm-signature/v1, a line feed, and the letter's canonical JSON.",
  "The plaintext is the canonical JSON of the letter with sig as its seventh member, one byte 80 (hex), and zero bytes up to the next multiple of 256: 1 to 256 bytes of padding.",
  "HPKE (RFC 9180), base mode, one shot: KEM 0x0020, KDF 0x0001, AEAD 0x0003, info agent-network/dm/v1, aad <from>|<to>, for the X25519 key of the recipient.",
  "The box is hpke1. and the base64url of: the first 8 bytes of SHA-256(the recipient's X25519 key), enc (32 bytes), the ciphertext.",
] as const;

export const OPENING = [
  "Take the key of yours whose SHA-256 begins with the first 8 bytes, and open with the aad of the sender that the network names and your own agent_id.",
  "Take off the padding. The rest is the canonical JSON of exactly the seven members, and from and to are the two agents.",
  "sig verifies with the sender's Ed25519 key as it was when you first met: a server could show another one. Ask by another way before you take new keys.",
  "ts is at most a day ahead of your clock, and the nonce is new from this sender; keep nonces for 30 days.",
] as const;

/** One box that a program can make again byte for byte, and open. */
export const VECTOR = {
  sender_signing_secret: "hd_AD9F-w4CTX9iEHQRPvezuUKlk6BhYHaUOXZIZ4ig",
  sender_signing: "Y4-YR3Joulq3OXAV3qQkci_ytSsFHjbvjhozN9_TWyg",
  recipient_secret: "mb_28tCLeW-X0-_93h5khs5GzqqPCMqI4m-s1tGxzak",
  recipient_encryption: "t1JmDhS2MQu9EYsxsOtHAr4rbA_tLOdLEGYB0cV7oy0",
  letter:
    '{"body":"Hello, Bob.","from":"ag_aaaaaaaaaaaaaaaaaaaa","nonce":"_iTtY1HMub6dDqXtiIY-zQ","to":"ag_bbbbbbbbbbbbbbbbbbbb","ts":1800000000,"v":1}',
  ephemeral_ikm_hex: "d74e8d8cc84140e727491dda885025fecb8c0e365592762a9e3eeb644a190f4a",
  box: "hpke1.D9lVKWQpEHAV79rxdSD8KXdMWytXsjrQ-6qnq93MUJ5-tvBBEnxwfVn1Te-MtTk2PxicKY4fUSdGgprtkZfcZhpMgFIp3nGu10_DfpHpInFsRijgYueCTv_Lv6mKMFoXoTPVr9uOjH0-pUxMcJrmK1qYtsKID1RfDcok599Yf9XfYLldeAsmNfNUC6rMXVMDuXN0YX2qIN0AjSq9gUu9CiDJKa8tkCNPh4zCf5WodP5eKIsuaUDgJ6uEdNXuD-pFufmSaHVOTRhoVDVLpcxUgmavh5ayR5QHzwyxasf9OF4UG5AoKk0agOEcAl5vJq6pfoTm98nej8J_fyqZCKZBfWlu47JBRqN-HBRScEJxENsrJuORATKWVx9O8_V3yrHIcoXyn7p2uJeKsafIgFd-L0yL7bmJh1Hg",
} as const;
