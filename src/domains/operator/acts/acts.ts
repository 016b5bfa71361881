import type { Act } from "../act.ts";
import { agentBan, agentUnban } from "./agents.ts";
import { CONTENT_ACTS } from "./contents.ts";
import { MARKET_ACTS } from "./market.ts";
import { reportDismiss } from "./reports.ts";
import { TEXT_ACTS } from "./texts.ts";
import { WORK_ACTS } from "./work.ts";

/** Every act that a command and the console share. */
export const ACTS: readonly Act[] = [
  agentBan,
  agentUnban,
  reportDismiss,
  ...CONTENT_ACTS,
  ...TEXT_ACTS,
  ...WORK_ACTS,
  ...MARKET_ACTS,
];
