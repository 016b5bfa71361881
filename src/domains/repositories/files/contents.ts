import type { Db, Tx } from "../../../platform/db/engine.ts";
import { fromBase64 } from "../../../platform/kernel/bytes.ts";
import type { Problem, Rejects } from "../../../platform/kernel/contract/errors.ts";
import type { Seconds } from "../../../platform/kernel/time.ts";
import { sha256 } from "../../../platform/ledger/sha256.ts";
import { COMMIT_FILES_MAX_BYTES } from "../rules.ts";
import { deflated } from "./deflating.ts";
import { gitId, REMOVED_CONTENT } from "./git-objects.ts";
import { pathProblem } from "./paths.ts";
import * as sql from "./queries.ts";
import type { Step } from "./slices.ts";

/** A file as a commit sends it. */
export interface SentFile {
  readonly path: string;
  readonly text?: string | undefined;
  readonly base64?: string | undefined;
  readonly delete?: 1 | undefined;
}

/** A path and what it is to hold; null deletes it. */
export interface Change {
  readonly path: string;
  readonly content: Content | null;
}

interface Content {
  readonly sha256: string;
  readonly bytes: number;
  readonly body: Buffer;
}

/** The same as it is stored. */
export interface Stored {
  readonly path: string;
  readonly content: StoredContent | null;
}

interface StoredContent extends Pick<Content, "sha256" | "bytes"> {
  readonly git_sha1: string;
  readonly deflated: Uint8Array;
}

const STAND_IN = Buffer.from(REMOVED_CONTENT);

/** Reads the files of a commit. Rejects with `validation_failed`, naming each file that can't stand. */
export function changesIn(files: readonly SentFile[], { reject }: Rejects<never>): Change[] {
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
    else if (bytes?.equals(STAND_IN))
      details.push({ field: `files.${i}`, problem: "is what stands for removed contents" });
    else read.push({ path, bytes });
    paths.add(path);
    total += typeof bytes === "string" ? 0 : (bytes?.length ?? 0);
  }
  if (total > COMMIT_FILES_MAX_BYTES)
    details.push({
      field: "files",
      problem: `come to ${total} bytes; at most ${COMMIT_FILES_MAX_BYTES}`,
    });
  if (details.length > 0) return reject("validation_failed", "Some files cannot stand.", details);
  return read.map(({ path, bytes: body }) => ({
    path,
    content: body && { sha256: sha256(body).toHex(), bytes: body.length, body },
  }));
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

const BYTES_PER_PIECE = 512;

/** Contents as they are stored. */
export async function storedOf(changes: readonly Change[], step: Step): Promise<Stored[]> {
  const all: Stored[] = [];
  for (const { path, content } of changes) {
    if (content === null) all.push({ path, content });
    else {
      const { sha256, bytes, body } = content;
      const git_sha1 = gitId("blob", body);
      all.push({ path, content: { sha256, bytes, git_sha1, deflated: await deflated(body) } });
      await step(2 + bytes / BYTES_PER_PIECE);
    }
  }
  return all;
}

/** Rejects with `conflict` where the operator has removed a content. */
export async function refuseRemoved(
  { read, reject }: { readonly read: Db } & Rejects<"conflict">,
  changes: readonly Change[],
): Promise<void> {
  const blobs = await Promise.all(
    changes.map(({ content }) => content && sql.blob.first(read, { sha256: content.sha256 })),
  );
  const details = changes.flatMap(({ path: field }, i) =>
    blobs[i]?.purged_at == null
      ? []
      : [{ field, problem: "has a content that the operator has removed" }],
  );
  if (details.length > 0) reject("conflict", "Some contents cannot stand here.", details);
}

/**
 * Stores the contents that are new. Rejects with `conflict` where the operator has removed one meanwhile, or
 * where another content has the same id in git, which could not stand beside it.
 */
export async function storeContents(
  { tx, reject }: { readonly tx: Tx } & Rejects<"conflict">,
  changes: readonly Stored[],
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
