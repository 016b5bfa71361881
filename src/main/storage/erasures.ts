import { hideApp } from "../../domains/apps/hiding.ts";
import { hidePost } from "../../domains/feed/hiding.ts";
import { loseAnswers } from "../../domains/identity/writes/marks.ts";
import { REMOVABLE } from "../../domains/removable.ts";
import { erased } from "../../domains/removals/queries.ts";
import { partsOf } from "../../domains/removals/removable.ts";
import { eraseText, hideText, type Removed } from "../../domains/removals/removing.ts";
import type { ServiceContext } from "../../platform/context.ts";
import { Rejection } from "../../platform/kernel/contract/errors.ts";
import { type ErasedName, noteErased, readErased } from "./erased-list.ts";

const nameOf = ({ kind, ref }: ErasedName): string => `${kind}/${ref}`;

/** Hides a thing that a backup has brought back. */
async function hide(context: ServiceContext, removed: Removed): Promise<void> {
  const { of, parts } = removed;
  if (of.kind.kind === "post") await hidePost(context, { post_id: Number(parts["post_id"]) });
  else if (of.kind.kind === "app") await hideApp(context, { app_id: Number(parts["app_id"]) });
  else await hideText(context, removed, {});
}

/** A text that may not be erased now, such as the words of an offer whose order runs again, stays hidden. */
async function erasedAnew(context: ServiceContext, removed: Removed): Promise<boolean> {
  try {
    return await eraseText({ ...context, loseAnswers }, removed);
  } catch (error) {
    if (error instanceof Rejection && error.code === "invalid_state") return false;
    throw error;
  }
}

/**
 * Erases anew what an older database has brought back, before anybody is served, and completes the list by
 * what the database knows. Resolves to the number of texts that were erased anew.
 */
export async function eraseAgain(context: ServiceContext, dataDir: string): Promise<number> {
  const listed = readErased(dataDir);
  const known = await erased.all(context.read, {});
  const names = new Set(listed.map(nameOf));
  const done = new Set(known.map(nameOf));
  noteErased(
    dataDir,
    known.filter((each) => !names.has(nameOf(each))),
  );
  let again = 0;
  for (const { kind, ref } of listed.filter((each) => !done.has(nameOf(each)))) {
    const of = REMOVABLE.get(kind);
    const parts = of === undefined ? null : partsOf(of.kind, ref);
    if (of === undefined || parts === null) continue;
    const removed = { of, ref, parts };
    if ((await of.find(context.read, parts)) === undefined) continue; // An older copy has it not yet.
    await hide(context, removed);
    if (await erasedAnew(context, removed)) again++;
  }
  return again;
}
