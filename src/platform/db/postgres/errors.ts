import { DatabaseError } from "pg";
import { Rejection } from "../../kernel/contract/errors.ts";

/**
 * Serialization failure and deadlock: the transaction lost to another one and may run again. So it may
 * when the server has no room left for the locks that find conflicts, which others free as they end.
 */
const CONFLICTS: ReadonlySet<string> = new Set(["40001", "40P01", "53200"]);

/** Conditions of the server and not of the statement, as SQLSTATE classes and codes. */
const STORAGE_CLASSES: ReadonlySet<string> = new Set([
  "08", // connection exception
  "28", // invalid authorization: the role or its password was changed meanwhile
  "3D", // the database is gone
  "53", // insufficient resources: disk full, out of memory, too many connections
  "57", // operator intervention: shutdown, starting up, cancelled
  "58", // system error: input or output failed
]);
const STORAGE_CODES: ReadonlySet<string> = new Set([
  "42501", // the role's rights were changed meanwhile
  "25006", // a standby, or a server that the operator closed for writes
  "26000", // a statement that was prepared on another connection: a pooler in transaction mode
  "55P03", // a lock was held for longer than `lock_timeout`
  "42P05", // the same, seen from the other side
]);

/** A row breaks a CHECK. Only a release under later rules puts one on the entries that wait. */
const CHECK_VIOLATED = "23514";
const WAITING_ENTRIES = "ledger_pending";

export function isConflict(error: unknown): boolean {
  return error instanceof DatabaseError && CONFLICTS.has(error.code ?? "");
}

/**
 * The error that the caller of a query gets. A fault of the server or of the connection becomes 503
 * `storage_unavailable`; a fault of the statement or of a value stays what it is, a defect.
 */
export function refusalOf(error: unknown): unknown {
  if (isConflict(error)) return error;
  if (error instanceof DatabaseError) {
    const code = error.code ?? "";
    if (code === CHECK_VIOLATED && error.table === WAITING_ENTRIES) return laterRules(error);
    const isStorage = STORAGE_CLASSES.has(code.slice(0, 2)) || STORAGE_CODES.has(code);
    return isStorage ? storageUnavailable(error) : error;
  }
  // Values are refused with these two; whatever else pg throws is about the connection.
  const isDefect = error instanceof TypeError || error instanceof RangeError;
  return isDefect || error instanceof Rejection ? error : storageUnavailable(error);
}

export function storageUnavailable(cause?: unknown): Rejection {
  return withCause(cause, "The storage does not answer; nothing was stored. Try again later.");
}

const laterRules = (cause: unknown): Rejection =>
  withCause(
    cause,
    "The database takes entries of later rules than this program's: its operator has to start a newer version. Nothing was stored.",
  );

/** The answer to COMMIT got lost, so nobody here knows whether it was carried out. */
export function perhapsStored(cause: unknown): Rejection {
  return withCause(
    cause,
    "The storage stopped answering at the last moment: the write may have happened. Read your own record before you send it again.",
  );
}

export function overloaded(): Rejection {
  return new Rejection(
    "overloaded",
    "Too many writes at the same time; nothing was stored. Try again in a second.",
  );
}

function withCause(cause: unknown, message: string): Rejection {
  const rejection = new Rejection("storage_unavailable", message);
  rejection.cause = cause;
  return rejection;
}
