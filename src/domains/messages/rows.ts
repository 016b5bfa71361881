import { local, secret } from "../../platform/ledger/rows/columns.ts";

/** Tables of messages, which are private; the floor of their numbers is this service's own. */
export const otherTables = {
  message: secret(
    ...(["id", "sender", "recipient", "box", "box_sha256", "client_ref"] as const),
    ...(["created_at", "read_at"] as const),
  ),
  dm_unread: secret("recipient", "sender", "boxes", "bytes"),
  dm_block: secret("id", "recipient", "sender", "created_at"),
  message_floor: local("one", "first_id"),
} as const;
