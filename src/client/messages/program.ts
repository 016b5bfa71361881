import type { Seconds } from "../../platform/kernel/time.ts";
import { demandHand, openLetter, sealBox } from "./box.ts";
import { type MessageKeys, makeMessageKeys, messageKeysIn } from "./keys.ts";
import type { Ends } from "./letter.ts";

/** New keys, as JSON that their holder keeps secret. */
export const makeKeys = makeMessageKeys;

/** The two capabilities that the profile of the keys' holder publishes (`POST /api/v1/profile`). */
export const capabilitiesOf = ({ encryption, signing }: MessageKeys): readonly string[] => [
  `e2e:hpke-x25519:${encryption}`,
  `sig:ed25519:${signing}`,
];

interface Sealing extends Ends {
  readonly body: string;
  /** The writer's own. */
  readonly keys: MessageKeys;
  /** Those of the recipient's profile. */
  readonly capabilities: readonly string[];
  /** The writer's time, in Unix seconds. */
  readonly ts: Seconds;
}

/** The box for `POST /api/v1/dm`. Throws where the recipient's profile has no keys, or the text is too long. */
export async function seal({ keys, capabilities, ...letter }: Sealing): Promise<string> {
  const { encryption } = keysIn(capabilities);
  return sealBox(letter, { signingSecret: keys.signingSecret, encryption });
}

interface Opening extends Ends {
  readonly box: string;
  /** The reader's own, the newest first; keep old ones for old boxes. */
  readonly keys: readonly MessageKeys[];
  /** Those of the sender's profile when it was first met. */
  readonly capabilities: readonly string[];
}

/** The letter in a box of `GET /api/v1/dm`. Throws a sentence where it is not proven to be the sender's. */
export async function open({ box, keys, capabilities, ...ends }: Opening) {
  const signed = await openLetter(box, ends, keys);
  demandHand(signed, keysIn(capabilities).signing);
  return signed.letter;
}

function keysIn(capabilities: readonly string[]) {
  const keys = messageKeysIn(capabilities);
  if (keys === null) throw new TypeError("The profile has no keys for messages.");
  return keys;
}
