import { NoFolder } from "../../platform/db/folder.ts";
import * as verify from "../../verify/stop.ts";

/** Ends a command with a sentence for its user instead of a stack trace; the verifier's own, too. */
export const Stop = verify.Stop;
export type Stop = verify.Stop;

/** Exit code: what was asked for is refused, or it failed; nothing was changed. */
export const REFUSED = 1;

/** Exit code: wrong arguments, or a file of the user's own that cannot be used. */
export const USAGE = verify.USAGE;

/** Exit code: what was to be verified could not be read at all. */
export const UNREADABLE = verify.UNREADABLE;

export const messageOf = verify.messageOf;

/** The exit code of a command that an error has ended. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof Stop) return error.exitCode;
  return error instanceof NoFolder ? USAGE : REFUSED;
}
