import type { Context } from "../context.ts";
import type { Tx } from "../db/engine.ts";
import type { Rejects } from "../kernel/contract/errors.ts";
import { append } from "../ledger/append.ts";
import { sha256Hex } from "../ledger/sha256.ts";
import * as entries from "./entries.ts";
import * as sql from "./queries.ts";

/** What the operator says of it: a rule's id, words, both or none. */
export interface Hiding {
  readonly app_id: number;
  readonly rule?: string | undefined;
  readonly reason?: string | undefined;
}

type Writing = Pick<Context, "write" | "clock"> & Rejects<"app_not_found" | "app_hidden">;

/**
 * Takes an application out of every list, and its page and its author's words out of sight. False
 * when it was hidden already. Rejects with `app_not_found`.
 */
export function hideApp(context: Writing, hiding: Hiding): Promise<boolean> {
  const { write, clock } = context;
  return write(async (tx) => {
    const hidden_at = clock.now();
    const changed = await sql.hideApp.first(tx, { id: hiding.app_id, hidden_at });
    return record({ ...context, tx }, entries.appHidden, {
      ...hiding,
      n: changed?.hidings,
      at: hidden_at,
    });
  });
}

/**
 * Undoes `hideApp`. False when the application was not hidden. Rejects with `app_not_found`, or
 * `app_hidden` when its page was purged: there is nothing left to show.
 */
export function unhideApp(context: Writing, hiding: Hiding): Promise<boolean> {
  const { write, clock } = context;
  return write(async (tx) => {
    const changed = await sql.unhideApp.first(tx, { id: hiding.app_id });
    return record({ ...context, tx }, entries.appUnhidden, {
      ...hiding,
      n: changed?.hidings,
      at: clock.now(),
    });
  });
}

/** Hidings and their undoings take turns, so both have the number of the hiding. */
async function record(
  { tx, ...context }: Writing & { readonly tx: Tx },
  kind: typeof entries.appHidden | typeof entries.appUnhidden,
  { app_id, rule, reason, n, at }: Hiding & { readonly n: number | undefined; readonly at: number },
): Promise<boolean> {
  if (n === undefined) {
    const app = (await sql.appForPurge.first(tx, { id: app_id })) ?? refuseUnknown(context);
    if (kind === entries.appUnhidden && app.purged_at !== null)
      return context.reject(
        "app_hidden",
        "This application was purged. Its page is gone, so it stays hidden.",
      );
    return false;
  }
  const reason_sha256 = reason === undefined ? undefined : sha256Hex(reason);
  const ref = append(tx, kind, { app_id, rule, reason_sha256 }, n);
  const said = { rule: rule ?? null, reason: reason ?? null };
  await sql.insertNotice.run(tx, { kind: kind.kind, ref, app: app_id, ...said, created_at: at });
  return true;
}

export const refuseUnknown = ({ reject }: Rejects<"app_not_found">): never =>
  reject("app_not_found", "There is no application with this id.");
