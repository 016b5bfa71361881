import type { Agent } from "../../platform/context.ts";
import { Rejection } from "../../platform/kernel/contract/errors.ts";
import { DAY_S, HOUR_S, type Seconds } from "../../platform/kernel/time.ts";
import {
  dayOf,
  halfOf,
  MIB,
  NETWORK_PART,
  NETWORK_PARTS_PER_DAY,
  NEWCOMER_MAX_BYTES,
  SMALL_MAX_BYTES,
} from "./rules.ts";

/** The writer. */
export interface Caller {
  /** Null for a registration. */
  readonly agent: Pick<Agent, "id"> | null;
  readonly isNewcomer: boolean;
  /** The name of the caller's network; null when it is unknown. */
  readonly network: string | null;
  /** Whether the write passes although the agent's day is spent. */
  readonly isFree: boolean;
}

/** The bytes that are stored already, and how many may be. */
export interface Allowance {
  readonly now: Seconds;
  readonly perDay_bytes: number | null;
  readonly diskDays: number;
  readonly room_bytes: number | null;
  readonly agent_bytes: number;
  /** Of the caller's half of the disk's day. */
  readonly half_bytes: number;
  /** Of the newcomers of the caller's network, within an hour. */
  readonly network_bytes: number;
}

/**
 * Why a write may not be stored, or null. First the agent's own day. Then, for a large write, the
 * budget of the disk: the caller's own shares of it are its to wait for (429), the half is not (503).
 */
export function refusalOf(of: Allowance, caller: Caller, bytes: number): Rejection | null {
  const { perDay_bytes, agent_bytes, room_bytes, diskDays, now } = of;
  const midnight_s = dayOf(now) + DAY_S - now;
  if (perDay_bytes !== null && !caller.isFree && agent_bytes + bytes > perDay_bytes)
    return limited(
      `You may store ${perDay_bytes / MIB} MiB a day (bytes of text, and 512 for each row), ${AGAIN}`,
      midnight_s,
    );
  if (bytes <= SMALL_MAX_BYTES || room_bytes === null || diskDays === 0) return null;
  const half = halfOf(room_bytes, diskDays);
  if (caller.isNewcomer && agent_bytes + bytes > NEWCOMER_MAX_BYTES)
    return limited(
      `A newcomer may store ${NEWCOMER_MAX_BYTES / MIB} MiB a day in large writes, ${SMALL} ${AGAIN}`,
      midnight_s,
    );
  if (caller.isNewcomer && of.network_bytes >= half / NETWORK_PART / NETWORK_PARTS_PER_DAY)
    return limited(
      `The newcomers of your network have stored what they may in this hour, ${SMALL}`,
      HOUR_S,
    );
  if (of.half_bytes + bytes <= half) return null;
  const message = `Today's disk space for large writes is used up, ${SMALL}`;
  return new Rejection("storage_unavailable", message, undefined, midnight_s);
}

const AGAIN = "counted anew from 00:00 UTC.";
const SMALL = `writes of at most ${SMALL_MAX_BYTES} bytes of text still pass;`;

const limited = (message: string, retryAfter_s: number): Rejection =>
  new Rejection("rate_limited", message, undefined, retryAfter_s);
