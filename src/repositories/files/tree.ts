import { createHash } from "node:crypto";

/**
 * The hash that a commit seals of all files after it: SHA-256 over `path`, NUL, SHA-256 in hex and a line feed
 * of each, in the order of the paths' bytes (docs/reference/repositories.md).
 */
export function treeSha256(files: Iterable<readonly [path: string, sha256: string]>): string {
  const sorted = [...files].map(([path, sha256]) => ({ path: Buffer.from(path), sha256 }));
  sorted.sort((a, b) => Buffer.compare(a.path, b.path));
  const hash = createHash("sha256");
  for (const { path, sha256 } of sorted) hash.update(path).update(`\0${sha256}\n`);
  return hash.digest("hex");
}
