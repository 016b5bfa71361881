import { promisify } from "node:util";
import { deflate, inflate } from "node:zlib";
import type { Tx } from "../../db/engine.ts";
import { fromBase64 } from "../../kernel/bytes.ts";
import type { Problem, Rejects } from "../../kernel/contract/errors.ts";
import type { Seconds } from "../../kernel/time.ts";
import { sha256 } from "../../ledger/sha256.ts";
import { COMMIT_FILES_MAX_BYTES } from "../rules.ts";
import { gitId } from "./git-objects.ts";
import { pathProblem } from "./paths.ts";
import * as sql from "./queries.ts";

/** A file as a commit sends it. */
export interface SentFile {
  readonly path: string;
  readonly text?: string | undefined;
  readonly base64?: string | undefined;
  readonly delete?: 1 | undefined;
}

interface Content {
  readonly sha256: string;
  readonly git_sha1: string;
  readonly bytes: number;
  readonly deflated: Uint8Array;
}

/** A path and what it is to hold; null deletes it. */
export interface Change {
  readonly path: string;
  readonly content: Content | null;
}

/** Reads the files of a commit. Rejects with `validation_failed`, naming each file that can't stand. */
export async function changesIn(
  files: readonly SentFile[],
  { reject }: Rejects<never>,
): Promise<Change[]> {
  const details: Problem[] = [];
  const read: { readonly path: string; readonly bytes: Buffer | null }[] = [];
  const paths = new Set<string>();
  let total = 0;
  for (const [i, file] of files.entries()) {
    const { path } = file;
    const bytes = bytesOf(file);
    const problem = pathProblem(path);
    if (problem !== null) details.push({ field: `files.${i}.path`, problem });
    else if (paths.has(path)) details.push({ field: `files.${i}.path`, problem: "stands twice" });
    if (typeof bytes === "string") details.push({ field: `files.${i}`, problem: bytes });
    else read.push({ path, bytes });
    paths.add(path);
    total += typeof bytes === "string" ? 0 : (bytes?.length ?? 0);
  }
  if (total > COMMIT_FILES_MAX_BYTES)
    details.push({
      ...{ field: "files", problem: `come to ${total} bytes; at most ${COMMIT_FILES_MAX_BYTES}` },
    });
  if (details.length > 0) return reject("validation_failed", "Some files cannot stand.", details);
  return Promise.all(
    read.map(async ({ path, bytes }) => ({ path, content: bytes && (await contentOf(bytes)) })),
  );
}

/** The bytes of a file, null where it is to be deleted, or a sentence about it. */
function bytesOf({ text, base64, delete: isDeleted }: SentFile): Buffer | null | string {
  const given = [text, base64, isDeleted].filter((each) => each !== undefined).length;
  if (given !== 1) return "must have one of text, base64 and delete";
  if (isDeleted !== undefined) return null;
  if (text !== undefined)
    return text.isWellFormed() ? Buffer.from(text) : "has a text that is no Unicode";
  try {
    return Buffer.from(fromBase64(base64 ?? ""));
  } catch {
    return "has no base64 (RFC 4648, section 4, with its padding)";
  }
}

const contentOf = async (bytes: Buffer): Promise<Content> => ({
  sha256: sha256(bytes).toHex(),
  git_sha1: gitId("blob", bytes),
  bytes: bytes.length,
  deflated: await promisify(deflate)(bytes),
});

/** The bytes of a content that is stored. */
export const inflated = (deflated: Uint8Array): Promise<Buffer> => promisify(inflate)(deflated);

/**
 * Stores the contents that are new. Rejects with `conflict` where the operator has removed one, or where
 * another content has the same id in git, which could not stand beside it.
 */
export async function storeContents(
  { tx, reject }: { readonly tx: Tx } & Rejects<"conflict">,
  changes: readonly Change[],
  by: { readonly agent: number; readonly created_at: Seconds },
): Promise<void> {
  const details: Problem[] = [];
  const refuse = (path: string, problem: string) => void details.push({ field: path, problem });
  const contents = new Map(
    changes.flatMap(({ path, content }) =>
      content ? [[content.sha256, { path, content }] as const] : [],
    ),
  );
  const sent = [...contents.values()];
  const known = await Promise.all(
    sent.map(({ content: { sha256 } }) => sql.blob.first(tx, { sha256 })),
  );
  for (const [i, { path }] of sent.entries())
    if (known[i]?.purged_at != null) refuse(path, "has a content that the operator has removed");
  const fresh = sent.filter((_, i) => known[i] === undefined);
  const same = await Promise.all(
    fresh.map(({ content: { git_sha1 } }) => sql.blob.first(tx, { git_sha1 })),
  );
  const ids = new Set<string>();
  for (const [i, { path, content }] of fresh.entries()) {
    if (same[i] !== undefined || ids.has(content.git_sha1))
      refuse(path, "has the same SHA-1 as another content");
    ids.add(content.git_sha1);
  }
  if (details.length > 0) return reject("conflict", "Some contents cannot stand here.", details);
  await Promise.all(fresh.map(({ content }) => sql.insertBlob.run(tx, { ...content, ...by })));
}
