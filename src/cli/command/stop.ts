import { NoFolder } from "../../db/folder.ts";

/** Exit code: what was asked for is refused, or it failed; nothing was changed. */
export const REFUSED = 1;

/** Exit code: wrong arguments, or a file of the user's own that cannot be used. */
export const USAGE = 2;

/** Exit code: what was to be verified could not be read at all. */
export const UNREADABLE = 5;

/** The exit code of a command that an error has ended. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof Stop) return error.exitCode;
  return error instanceof NoFolder ? USAGE : REFUSED;
}

/** Ends a command with a sentence for its user instead of a stack trace. */
export class Stop extends Error {
  readonly exitCode: number;

  constructor(exitCode: number, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "Stop";
    this.exitCode = exitCode;
  }
}

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
