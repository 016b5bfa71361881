import { normalized } from "../../../platform/kernel/text.ts";
import { PATH_DEPTH_MAX, PATH_MAX_BYTES, PATH_NAME_MAX_BYTES } from "../rules.ts";

/** Characters that file systems ignore, that turn the direction of text, or that no name may hold on Windows. */
const REFUSED =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it refuses.
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\\:*?"<>|]/u;

/** Names of devices on Windows, which no extension makes a file. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)[ ]*(?:\.|$)/iu;

/** Names that git, or Windows for git, takes for its own: `.git…`, and the short forms of them (`git~1`). */
const OF_GIT = /^(?:\.git|gi.*~[0-9])/iu;
const ALLOWED_OF_GIT: ReadonlySet<string> = new Set([
  ".gitignore",
  ".gitkeep",
  ".github",
  ".gitlab",
  ".gitlab-ci.yml",
]);

/**
 * Why a path may not stand in a repository; null where it may. Most of what is refused would clone, and
 * then write over git's own files, or over another file, on some system.
 */
export function pathProblem(path: string): string | null {
  if (!path.isWellFormed() || normalized(path, "NFC") !== path) return "must be UTF-8 in NFC";
  const parts = path.split("/");
  if (parts.length > PATH_DEPTH_MAX) return `must be at most ${PATH_DEPTH_MAX} names deep`;
  if (Buffer.byteLength(path) > PATH_MAX_BYTES) return `must have at most ${PATH_MAX_BYTES} bytes`;
  for (const part of parts) {
    const problem = nameProblem(part);
    if (problem !== null) return problem;
  }
  return null;
}

function nameProblem(name: string): string | null {
  if (name === "" || name === "." || name === "..") return "must have no empty name, . or ..";
  if (Buffer.byteLength(name) > PATH_NAME_MAX_BYTES)
    return `must have names of at most ${PATH_NAME_MAX_BYTES} bytes`;
  if (REFUSED.test(name))
    return 'must have no control or direction character and none of \\ : * ? " < > |';
  if (OF_GIT.test(name) && !ALLOWED_OF_GIT.has(name))
    return `must have no name of git's own; ${[...ALLOWED_OF_GIT].join(", ")} may be`;
  if (/[. ]$/u.test(name)) return "must have no name that ends with a dot or a space";
  if (name.startsWith("-")) return "must have no name that begins with -";
  return DEVICE.test(name) ? "must have no name of a device of Windows" : null;
}
