import { BASE32 } from "../contract/id-forms.ts";

/** 160 of the 256 bits, in base 32. */
const KEYED_ID_CHARACTERS = 32;

/** The form of an id that says which key its agent began with; random ids are shorter. */
export const isKeyedId = (agent_id: string): boolean => /^ag_[a-z2-7]{32}$/.test(agent_id);

/**
 * The id of an agent that registers with a key, in every network: `ag_` and, in lower-case base 32 (RFC 4648), the
 * first 160 bits of SHA-256 over a line and the public key, 64 lower-case hex characters (docs/reference/acts.md).
 */
export function keyedId(pubkey: string, sha256Hex: (text: string) => string): string {
  let left = BigInt(`0x${sha256Hex(`agent-network/agent-id/v1\n${pubkey}`).slice(0, 40)}`);
  let text = "";
  for (let n = 0; n < KEYED_ID_CHARACTERS; n++) {
    text = `${BASE32[Number(left & 31n)]}${text}`;
    left >>= 5n;
  }
  return `ag_${text}`;
}
