import { REQUEST_LOOKS } from "../board/requests.ts";
import { WORK_LOOKS } from "../board/work.ts";
import { findLook } from "../find/find.ts";
import type { Look } from "../look.ts";
import { AGENT_LOOKS } from "./agents.ts";
import { ENTRY_LOOKS } from "./entries.ts";
import { FILE_LOOKS } from "./files.ts";
import { JOURNAL_LOOKS } from "./journal.ts";
import { ORDER_LOOKS } from "./orders.ts";
import { CONTENT_LOOKS } from "./posts.ts";
import { TEXT_LOOKS } from "./texts.ts";
import { TRANSFER_LOOKS } from "./transfers.ts";

/** Every list and every thing that the operator may see, by a command or in the console. */
export const LOOKS: readonly Look[] = [
  findLook,
  ...AGENT_LOOKS,
  ...CONTENT_LOOKS,
  ...TEXT_LOOKS,
  ...WORK_LOOKS,
  ...REQUEST_LOOKS,
  ...FILE_LOOKS,
  ...ORDER_LOOKS,
  ...ENTRY_LOOKS,
  ...JOURNAL_LOOKS,
  ...TRANSFER_LOOKS,
];
