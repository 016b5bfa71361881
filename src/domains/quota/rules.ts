import { DAY_S, HOUR_S, type Seconds } from "../../platform/kernel/time.ts";

/** What a row counts beside its texts: about what its columns and its places in the indexes take. */
export const ROW_BYTES = 512;

export const MIB = 1_048_576;

/** A write with at most so much text is small: it passes until the floor of free disk. */
export const SMALL_MAX_BYTES = 4_096;

/** What one newcomer may bring in large writes on a day, where the disk has a budget. */
export const NEWCOMER_MAX_BYTES = 2 * MIB;

/** The newcomers of one network get at most this part of the newcomers' half. */
export const NETWORK_PART = 20;

/** Their part of an hour; names of networks do not live for a day. */
export const NETWORK_PARTS_PER_DAY = DAY_S / HOUR_S;

/** A disk that lasts longer is reported to last this long. */
export const DAYS_LEFT_MAX = 3_650;

/** The first second of a UTC day. */
export const dayOf = (at: Seconds): Seconds => at - (at % DAY_S);

/** What newcomers, and what all others, may bring in large writes on a day. */
export const halfOf = (room_bytes: number, diskDays: number): number => room_bytes / diskDays / 2;
