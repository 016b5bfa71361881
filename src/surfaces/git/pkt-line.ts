/** The longest packet of git, and what of it a side band may carry (gitprotocol-common, gitprotocol-pack). */
const PACKET_MAX_BYTES = 65_520;
const LENGTH_DIGITS = 4;
export const BAND_MAX_BYTES = PACKET_MAX_BYTES - LENGTH_DIGITS - 1;

export const FLUSH = "0000";

const lengthOf = (bytes: number): string =>
  (bytes + LENGTH_DIGITS).toString(16).padStart(LENGTH_DIGITS, "0");

/** A packet with a line of text. */
export const pktLine = (text: string): string => `${lengthOf(Buffer.byteLength(text))}${text}`;

/** Side bands: bytes of the pack, progress, and an error that ends all. */
export const BANDS = { pack: 1, progress: 2, error: 3 } as const;

/** A packet on a side band, with at most `BAND_MAX_BYTES`. */
export const bandOf = (band: number, bytes: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(lengthOf(bytes.length + 1)), Buffer.from([band]), bytes]);

/**
 * The packets of a text in their order, without line feeds at their ends; a flush is null. Undefined ends the
 * list at bytes that are no packet.
 */
export function packetsIn(text: string): readonly (string | null | undefined)[] {
  const packets: (string | null | undefined)[] = [];
  for (let at = 0; at < text.length; ) {
    const digits = text.slice(at, at + LENGTH_DIGITS);
    const length = /^[0-9a-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : 1;
    const isWhole = length >= LENGTH_DIGITS && at + length <= text.length;
    if (length !== 0 && !isWhole) return [...packets, undefined];
    packets.push(
      length === 0 ? null : text.slice(at + LENGTH_DIGITS, at + length).replace(/\n$/, ""),
    );
    at += length === 0 ? LENGTH_DIGITS : length;
  }
  return packets;
}
