import { normalized } from "../../kernel/text.ts";
import {
  FILES_MAX,
  FOLDER_FILES_MAX,
  PATH_DEPTH_MAX,
  PATH_NAME_MAX_BYTES,
  REPOSITORY_MAX_BYTES,
} from "../rules.ts";

/** Characters that file systems ignore, that turn the direction of text, or that no name may hold on Windows. */
const REFUSED =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it refuses.
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\\:*?"<>|]/u;

/** Names of devices on Windows, which no extension makes a file. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)[ ]*(?:\.|$)/iu;

/** Names that git, or Windows for git, takes for its own: `.git…`, and the short forms of them (`git~1`). */
const OF_GIT = /^(?:\.git|gi.*~[0-9])/iu;
const ALLOWED_OF_GIT: ReadonlySet<string> = new Set([".gitignore", ".gitkeep"]);

/**
 * Why a path may not stand in a repository; null where it may. Most of what is refused would clone, and
 * then write over git's own files, or over another file, on some system.
 */
export function pathProblem(path: string): string | null {
  if (!path.isWellFormed() || normalized(path, "NFC") !== path) return "must be UTF-8 in NFC";
  const parts = path.split("/");
  if (parts.length > PATH_DEPTH_MAX) return `must be at most ${PATH_DEPTH_MAX} names deep`;
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
    return "must have no name of git's own; .gitignore and .gitkeep may be";
  if (/[. ]$/u.test(name)) return "must have no name that ends with a dot or a space";
  if (name.startsWith("-")) return "must have no name that begins with -";
  return DEVICE.test(name) ? "must have no name of a device of Windows" : null;
}

/** Equal for two paths that some file system takes for one. */
const folded = (path: string): string =>
  normalized(path.toLowerCase().toUpperCase().toLowerCase(), "NFC");

/** What a file of a tree counts. */
interface Sized {
  readonly bytes: number;
}

/** Why all these files may not stand beside each other; null where they may. `path` is one of them. */
export function treeProblem(
  files: ReadonlyMap<string, Sized>,
): { readonly path: string; readonly problem: string; readonly isFull: boolean } | null {
  const names = new Map<string, string>();
  const inFolder = new Map<string, number>();
  let bytes = 0;
  for (const [path, file] of files) {
    bytes += file.bytes;
    const folder = path.slice(0, Math.max(0, path.lastIndexOf("/")));
    const count = (inFolder.get(folder) ?? 0) + 1;
    inFolder.set(folder, count);
    if (count > FOLDER_FILES_MAX) return full(path, `${FOLDER_FILES_MAX} files in a folder`);
    for (const prefix of prefixesOf(path)) {
      const key = folded(prefix);
      const known = names.get(key);
      // A folder is named with a slash behind it, so a file and a folder of one name differ here, too.
      const name = prefix === path ? prefix : `${prefix}/`;
      if (known !== undefined && known !== name)
        return {
          path,
          problem: `stands beside ${known}, which some systems take for it`,
          isFull: false,
        };
      names.set(key, name);
    }
  }
  const [last = ""] = files.keys();
  if (files.size > FILES_MAX) return full(last, `${FILES_MAX} files`);
  return bytes > REPOSITORY_MAX_BYTES ? full(last, `${REPOSITORY_MAX_BYTES} bytes`) : null;
}

const full = (path: string, most: string) => ({
  ...{ path, problem: `a repository may have ${most}` },
  isFull: true,
});

/** `a`, `a/b` and `a/b/c` of `a/b/c`. */
function* prefixesOf(path: string): Generator<string> {
  for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) yield path.slice(0, at);
  yield path;
}
