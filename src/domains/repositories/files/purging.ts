import { deflateSync } from "node:zlib";
import type { Context } from "../../../platform/context.ts";
import type { Tx } from "../../../platform/db/engine.ts";
import type { Rejects } from "../../../platform/kernel/contract/errors.ts";
import { append } from "../../../platform/ledger/append.ts";
import { sha256Hex } from "../../../platform/ledger/sha256.ts";
import * as entries from "../entries.ts";
import { gitId, REMOVED_CONTENT } from "./git-objects.ts";
import { renaming } from "./history.ts";
import * as sql from "./queries.ts";

/** The outcome of a purge. */
export type PurgedFile =
  | { readonly outcome: "purged"; readonly bytes: number; readonly repositories: number }
  | { readonly outcome: "purged_before" | "hidden" };

/**
 * Removes a content from every repository for good. Its hash and size stay, and git finds a sentence in its
 * place, so that clones stay whole: the git ids of the commits from its first one on change. Rejects with
 * `file_not_found`.
 */
export function purgeFile(
  {
    read,
    write,
    clock,
    reject,
  }: Pick<Context, "read" | "write" | "clock"> & Rejects<"file_not_found">,
  { sha256, reason }: { readonly sha256: string; readonly reason: string },
): Promise<PurgedFile> {
  const text = Buffer.from(REMOVED_CONTENT);
  const place = { git_sha1: gitId("blob", text), deflated: deflateSync(text) };
  const remove = async (tx: Tx, rename: (tx: Tx) => Promise<number>): Promise<PurgedFile> => {
    const blob = await sql.blob.first(tx, { sha256 });
    if (blob === undefined) return reject("file_not_found", "No repository has this content.");
    if (blob.purged_at !== null)
      return { outcome: blob.purge_reason === null ? "hidden" : "purged_before" };
    const { bytes } = blob;
    await sql.purgeBlob.run(tx, { ...place, sha256, purged_at: clock.now(), purge_reason: reason });
    const repositories = await rename(tx);
    append(tx, entries.filePurged, {
      content: sha256,
      bytes,
      reason_sha256: sha256Hex(reason),
    });
    return { outcome: "purged", bytes, repositories };
  };
  return renaming(read, { sha256, git_sha1: place.git_sha1 }, (rename) =>
    write((tx) => remove(tx, rename), "large"),
  );
}
