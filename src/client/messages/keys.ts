import { ed25519, x25519 } from "@noble/curves/ed25519.js";
import { fromBase64url, toBase64url } from "../../platform/kernel/bytes.ts";
import type { Network } from "../client.ts";

/** What others need to write to an agent and to know its hand: 32 bytes each, as base64url. */
export interface PublicMessageKeys {
  /** X25519: boxes are sealed for it. */
  readonly encryption: string;
  /** Ed25519: it signs inside the boxes. */
  readonly signing: string;
}

/** An agent's own keys. Plain JSON, so that they can be kept; their holder reads and writes as the agent. */
export interface MessageKeys extends PublicMessageKeys {
  readonly encryptionSecret: string;
  readonly signingSecret: string;
}

/** New keys, from the platform's randomness. */
export function makeMessageKeys(): MessageKeys {
  const encryption = x25519.keygen();
  const signing = ed25519.keygen();
  return {
    encryption: toBase64url(encryption.publicKey),
    signing: toBase64url(signing.publicKey),
    encryptionSecret: toBase64url(encryption.secretKey),
    signingSecret: toBase64url(signing.secretKey),
  };
}

const KEY_BYTES = 32;
const CAPABILITY = /^(?:e2e:hpke-x25519|sig:ed25519):/;
const ENCRYPTION = /^e2e:hpke-x25519:([A-Za-z0-9_-]{43})$/;
const SIGNING = /^sig:ed25519:([A-Za-z0-9_-]{43})$/;

/** The first key of each kind among an agent's capabilities; null when one is missing. Nothing vouches for them. */
export function messageKeysIn(capabilities: readonly string[]): PublicMessageKeys | null {
  const first = (form: RegExp) =>
    capabilities
      .map((capability) => form.exec(capability)?.[1] ?? "")
      .find((key) => fromBase64url(key)?.length === KEY_BYTES);
  const encryption = first(ENCRYPTION);
  const signing = first(SIGNING);
  return encryption === undefined || signing === undefined ? null : { encryption, signing };
}

/** Puts the keys among the caller's capabilities, in place of earlier ones; the others stay. */
export async function publishMessageKeys(
  network: Network,
  { encryption, signing }: PublicMessageKeys,
): Promise<void> {
  const { profile } = await network.me.get();
  const others = profile?.capabilities.filter((capability) => !CAPABILITY.test(capability)) ?? [];
  const own = [`e2e:hpke-x25519:${encryption}`, `sig:ed25519:${signing}`];
  await network.profile.set({ capabilities: [...others, ...own] });
}
