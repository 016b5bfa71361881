/** Exit code: wrong arguments, or a file of the user's own that cannot be used. */
export const USAGE = 2;

/** Exit code: what was to be verified could not be read at all. */
export const UNREADABLE = 5;

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
