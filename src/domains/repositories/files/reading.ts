import type { Context } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/engine.ts";
import type { Rejects } from "../../../platform/kernel/contract/errors.ts";
import { cut } from "../../../platform/kernel/contract/page.ts";
import { fileCursor } from "../contract.ts";
import { findRepository } from "../repositories.ts";
import { inflated } from "./deflating.ts";
import * as sql from "./queries.ts";
import { ROWS_PER_READ, statesAt } from "./roots.ts";
import { slices } from "./slices.ts";

type Reading = Pick<Context, "read"> & Rejects<"repo_not_found" | "commit_not_found">;

interface Place {
  readonly id: number;
  readonly at?: number | undefined;
}

/** The files of a repository, in the order of their paths. */
export async function listFiles(
  context: Reading,
  asked: Place & {
    readonly limit: number;
    readonly cursor?: { readonly path: string } | undefined;
  },
) {
  const { read } = context;
  const commit = await commitAt(context, asked);
  const after = asked.cursor?.path ?? "";
  const found =
    asked.at === undefined
      ? await sql.filesAfter.all(read, { repository: asked.id, after, limit: asked.limit + 1 })
      : await filesAt(read, { repository: asked.id, at: asked.at, after }, asked.limit + 1);
  const { items, more } = cut(found, asked.limit);
  const last = items.at(-1);
  return {
    at: commit?.id ?? null,
    git_commit: commit?.git_sha1 ?? null,
    files: items.map(({ git_sha1: _, ...file }) => file),
    count: items.length,
    more,
    next: more && last !== undefined ? fileCursor.after(last.path) : null,
  };
}

/** Some files as a commit left them, read in slices: most rows may be of other commits. */
async function filesAt(read: Db, walk: Parameters<typeof statesAt>[1], limit: number) {
  const step = slices();
  const files: Awaited<ReturnType<typeof sql.filesAfter.all>> = [];
  for await (const states of statesAt(read, walk)) {
    files.push(...states);
    if (files.length >= limit) break;
    await step(ROWS_PER_READ);
  }
  return files.slice(0, limit);
}

/** One file with its content. Rejects with `file_not_found` where the commit has none of this path. */
export async function showFile(
  context: Reading & Rejects<"file_not_found">,
  asked: Place & { readonly path: string },
) {
  const { read, reject } = context;
  const commit = await commitAt(context, asked);
  const place = { repository: asked.id, path: asked.path, at: asked.at ?? commit?.id ?? 0 };
  const found = await sql.fileAt.first(read, place);
  if (found === undefined || found.sha256 === null || found.deflated === null)
    return reject(
      "file_not_found",
      "There is no file with this path. {repositories.files} lists the paths.",
    );
  const { path, sha256, commit_id, purged_at: removed_at } = found;
  const facts = { path, sha256, bytes: found.bytes ?? 0, commit_id, removed_at };
  if (removed_at !== null) return { file: { ...facts, text: null, base64: null } };
  const bytes = await inflated(found.deflated);
  const text = textIn(bytes);
  return { file: { ...facts, text, base64: text === null ? bytes.toString("base64") : null } };
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The text that bytes are; null where they are none. */
export function textIn(bytes: Buffer): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

/** The commit whose files are asked for. Rejects with `repo_not_found` or `commit_not_found`. */
async function commitAt(context: Reading, { id, at }: Place) {
  const { read, reject } = context;
  if (at === undefined) {
    const head = await sql.head.first(read, { repository: id });
    if (head === undefined) await findRepository(context, id);
    return head;
  }
  await findRepository(context, id);
  const commit = await sql.commitOf.first(read, { repository: id, id: at });
  return commit ?? reject("commit_not_found", "This repository has no commit with this id.");
}
