/** What proves who an agent is: its permanent token, and the tokens of its grants (docs/decisions/0126). */
const HEX_24_BYTES = "[0-9a-f]{48}";
export const AGENT_TOKEN = `sk_${HEX_24_BYTES}`;
export const ACCESS_TOKEN = `cg_${HEX_24_BYTES}`;
export const REFRESH_TOKEN = `cr_(?:${HEX_24_BYTES}){2}`;

/** All of them, published at `/verify` for secret scanners. */
export const TOKEN_PATTERN = [AGENT_TOKEN, ACCESS_TOKEN, REFRESH_TOKEN].join("|");
