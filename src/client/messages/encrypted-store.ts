import { Chacha20Poly1305 } from "@hpke/chacha20poly1305";
import { fromBase64url, toBase64url } from "../../platform/kernel/bytes.ts";
import { CairnError } from "../error.ts";
import type { MessageKeys } from "./keys.ts";
import type { KeyStore } from "./store.ts";

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const SECRETS = ["encryptionSecret", "signingSecret"] as const;

const encoder = new TextEncoder();

/**
 * A store whose own secrets are encrypted with ChaCha20-Poly1305 under a key of 32 bytes. Public keys,
 * pins and nonces stay as they are. Reading with another key rejects with CairnError `store_damaged`.
 */
export function encryptedStore(inner: KeyStore, key: Uint8Array): KeyStore {
  if (key.length !== KEY_BYTES) throw new RangeError("The key of a store has 32 bytes.");
  const cipher = new Chacha20Poly1305().createEncryptionContext(key.slice().buffer);

  async function sealed(keys: MessageKeys, name: (typeof SECRETS)[number]): Promise<string> {
    const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
    const text = encoder.encode(keys[name]);
    const box = new Uint8Array(await cipher.seal(nonce, text, aadOf(keys, name)));
    return toBase64url(new Uint8Array([...nonce, ...box]));
  }

  async function opened(keys: MessageKeys, name: (typeof SECRETS)[number]): Promise<string> {
    const bytes = fromBase64url(keys[name]) ?? new Uint8Array();
    const nonce = bytes.slice(0, NONCE_BYTES);
    const box = bytes.slice(NONCE_BYTES);
    const text = await cipher.open(nonce, box, aadOf(keys, name)).catch((cause: unknown) => {
      const message = "The secrets of the store do not open with this key.";
      throw new CairnError({ code: "store_damaged", message, cause });
    });
    return new TextDecoder().decode(text);
  }

  const each = async (keys: MessageKeys, change: typeof sealed): Promise<MessageKeys> => ({
    ...keys,
    encryptionSecret: await change(keys, "encryptionSecret"),
    signingSecret: await change(keys, "signingSecret"),
  });

  return {
    pinned: (agent_id) => inner.pinned(agent_id),
    pin: (agent_id, keys) => inner.pin(agent_id, keys),
    handleOwner: (handle) => inner.handleOwner(handle),
    setHandleOwner: (handle, agent_id) => inner.setHandleOwner(handle, agent_id),
    firstWith: (seen) => inner.firstWith(seen),
    addOwnKeys: async (keys) => inner.addOwnKeys(await each(keys, sealed)),
    async ownKeys() {
      return Promise.all((await inner.ownKeys()).map((keys) => each(keys, opened)));
    },
  };
}

/** A secret belongs to its public keys and to its place, so none can take another's. */
const aadOf = ({ encryption, signing }: MessageKeys, name: string) =>
  encoder.encode(`cairn-store/v1 ${name} ${encryption} ${signing}`);
