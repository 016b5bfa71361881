import { statSync } from "node:fs";
import { userInfo } from "node:os";
import type { Environment } from "./command.ts";
import { messageOf, REFUSED, Stop } from "./stop.ts";

const ROOT = 0;

/**
 * Run as root, the process becomes the user that a data folder belongs to, for good: files that root made there,
 * the service could not use. Returns the environment of that user; it still says who typed the command.
 */
export function becomeOwner(folder: string, environment: Environment): Environment {
  if (process.geteuid?.() !== ROOT) return environment;
  const { uid, gid } = statSync(folder);
  if (uid === ROOT) return environment;
  const person = personOf(environment);
  try {
    const user = userOf(uid);
    process.setgroups?.([user?.gid ?? gid]);
    process.setgid?.(user?.gid ?? gid);
    process.setuid?.(uid);
    process.env["HOME"] = user?.homedir ?? "/";
  } catch (error) {
    throw new Stop(
      REFUSED,
      `The owner of ${folder} cannot be taken on: ${messageOf(error)}.`,
      error,
    );
  }
  return { ...environment, HOME: process.env["HOME"], SUDO_USER: person };
}

/** Who typed a command: a name, or a number where the system has none for it, as in a container. */
export const personOf = (environment: Environment): string =>
  environment["SUDO_USER"] ?? userHere()?.username ?? `uid ${process.geteuid?.()}`;

/** A user by number; null where the system has no such entry, as in a container. */
function userOf(uid: number) {
  process.seteuid?.(uid);
  try {
    return userHere();
  } finally {
    process.seteuid?.(ROOT);
  }
}

function userHere() {
  try {
    return userInfo();
  } catch {
    return null;
  }
}
