import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  type Stats,
  statSync,
} from "node:fs";
import { dirname, resolve } from "node:path";

const ROOT = 0;
const SIZE_MAX_bytes = 256 * 1024;

/** The rights of group and others to write; and the bit by which only an owner renames in a folder. */
const WRITTEN_BY_OTHERS = 0o022;
const STICKY = 0o1000;

/** A link is not followed, and a pipe does not hang. Windows has neither flag. */
const CAREFULLY = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** The text of a file, and the user whose word it is. */
interface Trusted {
  readonly text: string;
  /** The caller, unless root reads what another user wrote in a folder that root gave it. */
  readonly asUid: number;
}

/** Whose word a file has to be: only its own rights count, or those of every folder above it, too. */
type Reach = "file" | "folders";

/**
 * Reads a file that may decide what a command works on. Its owner and that of every folder above it is root or the
 * caller, and nobody else may write there. Root also reads a file of another user where all of that is root's or
 * that user's: it may be used as that user alone. "denied": this user may not read it.
 */
export function readTrusted(
  path: string,
  caller: number,
  reach: Reach = "folders",
): Trusted | "missing" | "denied" | "untrusted" {
  let file: number;
  try {
    file = openSync(path, CAREFULLY);
  } catch (error) {
    return isMissing(error) ? "missing" : "denied";
  }
  try {
    const stats = fstatSync(file);
    const asUid = caller === ROOT ? stats.uid : caller;
    if (!stats.isFile() || stats.size > SIZE_MAX_bytes) return "untrusted";
    const isTrusted =
      isOwn(stats, asUid) && (reach === "file" || areOwn(dirname(resolve(path)), asUid));
    if (!isTrusted) return "untrusted";
    return { text: readFileSync(file, "utf8"), asUid };
  } finally {
    closeSync(file);
  }
}

/** Whether nothing is at this path. A folder that may not be read says nothing about what is in it. */
export function isNothingAt(path: string): boolean {
  try {
    statSync(path);
    return false;
  } catch (error) {
    return isMissing(error);
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && /^(?:ENOENT|ENOTDIR)$/.test(String(error.code));

function areOwn(folder: string, uid: number): boolean {
  const stats = statSync(folder);
  if (stats.uid !== ROOT && stats.uid !== uid) return false;
  if ((stats.mode & WRITTEN_BY_OTHERS) !== 0 && (stats.mode & STICKY) === 0) return false;
  const parent = dirname(folder);
  return parent === folder || areOwn(parent, uid);
}

const isOwn = ({ uid, mode }: Stats, caller: number): boolean =>
  (uid === ROOT || uid === caller) && (mode & WRITTEN_BY_OTHERS) === 0;
