import { readFileSync } from "node:fs";
import { isNothingAt } from "../running/trusted-file.ts";

/**
 * What a file beside the database holds; null where there is none. A file that is there and cannot be read never
 * counts as missing: rejects with the system's own error.
 */
export const textOf = (path: string): string | null =>
  isNothingAt(path) ? null : readFileSync(path, "utf8");

/** The fault of a memory that was read and is none. */
export const DAMAGED = "its text is damaged";

/** What a process remembers outside the database, and why it cannot be read. */
interface Memory<T> {
  recall(): T | "unreadable" | null;
  /** The words of the last look, if it found something that it could not read. */
  fault(): string | null;
}

/** A memory in a file. To go on without one that is there would be to forget what was signed. */
export function memoryIn<T>(path: string, parse: (json: unknown) => T): Memory<T> {
  let fault: string | null = null;
  return {
    recall() {
      fault = null;
      try {
        const text = textOf(path);
        return text === null ? null : parsed(text, parse);
      } catch (error) {
        fault = error instanceof Error ? error.message : String(error);
        return "unreadable";
      }
    },
    fault: () => fault,
  };
}

function parsed<T>(text: string, parse: (json: unknown) => T): T {
  try {
    return parse(JSON.parse(text));
  } catch (error) {
    throw new Error(DAMAGED, { cause: error });
  }
}
