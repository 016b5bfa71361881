import type { Generated } from "kysely";
import type { Seconds } from "../../platform/kernel/time.ts";

interface MessageTable {
  id: Generated<number>;
  sender: number;
  recipient: number;
  /** The UTF-8 of a text that only its two ends can read: bytes, because it may hold U+0000. */
  box: Uint8Array;
  box_sha256: Uint8Array;
  client_ref: string | null;
  created_at: Seconds;
  /** Null until an answer with it was handed to the recipient's connection. */
  read_at: Seconds | null;
}

/** Unread boxes from one sender; without a row there are none. */
interface DmUnreadTable {
  recipient: number;
  sender: number;
  boxes: number;
  bytes: number;
}

/** The recipient takes nothing from the sender. */
interface DmBlockTable {
  id: Generated<number>;
  recipient: number;
  sender: number;
  created_at: Seconds;
}

/** One row after a restore: the least number of a new box. */
interface MessageFloorTable {
  one: number;
  first_id: number;
}

export interface MessageTables {
  message: MessageTable;
  message_floor: MessageFloorTable;
  dm_unread: DmUnreadTable;
  dm_block: DmBlockTable;
}
