import { Rejection } from "../../kernel/contract/errors.ts";

const BUSY = 5;
const LOCKED = 6;

/** Primary result codes that say something about the storage and not about the statement. */
const STORAGE_CODES = new Set([
  8, // READONLY
  10, // IOERR
  11, // CORRUPT
  13, // FULL
  14, // CANTOPEN
  26, // NOTADB
]);

/** The primary result code of an error of node:sqlite, or null for any other error. */
function resultCode(error: unknown): number | null {
  if (!(error instanceof Error) || !("errcode" in error)) return null;
  return Number(error.errcode) & 0xff;
}

export function isBusy(error: unknown): boolean {
  const code = resultCode(error);
  return code === BUSY || code === LOCKED;
}

export function isStorageFault(error: unknown): boolean {
  const code = resultCode(error);
  return code !== null && STORAGE_CODES.has(code);
}

/** The error of a write that the storage cannot take. Nothing was stored. */
export function storageUnavailable(cause?: unknown): Rejection {
  const rejection = new Rejection(
    "storage_unavailable",
    "The storage cannot take writes now; nothing was stored. Reads go on. Try again later.",
  );
  rejection.cause = cause;
  return rejection;
}

/** The error of a write that was committed, and whose flush has failed. */
export function perhapsStored(cause: unknown): Rejection {
  const rejection = new Rejection(
    "storage_unavailable",
    "The storage failed at the last moment: the write may have happened. Read your own record before you send it again.",
  );
  rejection.cause = cause;
  return rejection;
}

/** The error of a write while another program has the lock. */
export const lockedOut = (): Rejection =>
  new Rejection(
    "storage_unavailable",
    "Another program holds the write lock of the database; nothing was stored. Reads go on. Try again later.",
  );

/** The error when too many writes are waiting. */
export const overloaded = (): Rejection =>
  new Rejection(
    "overloaded",
    "Too many writes are waiting; nothing was stored. Try again in a second.",
  );
