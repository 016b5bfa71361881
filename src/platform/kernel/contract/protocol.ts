/** The protocol that the service speaks; `GET /api/v1` and the first entry of a ledger name it. */
export const PROTOCOL_VERSION = 1;
