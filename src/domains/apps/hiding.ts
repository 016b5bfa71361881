import type { Context } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/engine.ts";
import type { Rejects } from "../../platform/kernel/contract/errors.ts";
import { refuse } from "../../platform/ledger/decide.ts";
import { enact } from "../../platform/ledger/rows/enact.ts";
import { unknownApp } from "./ledger.ts";
import * as sql from "./queries.ts";
import { rows } from "./rows.ts";

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
    const hidden = await enact(tx, rows.appHidden, hiding, clock.now());
    if (hidden === undefined) await findApp({ ...context, tx }, hiding);
    return hidden !== undefined;
  });
}

/**
 * Undoes `hideApp`. False when the application was not hidden. Rejects with `app_not_found`, or
 * `app_hidden` when its page was purged: there is nothing left to show.
 */
export function unhideApp(context: Writing, hiding: Hiding): Promise<boolean> {
  const { write, clock, reject } = context;
  return write(async (tx) => {
    const shown = await enact(tx, rows.appUnhidden, hiding, clock.now());
    if (shown !== undefined) return true;
    const { purged_at } = await findApp({ ...context, tx }, hiding);
    if (purged_at === null) return false;
    return reject(
      "app_hidden",
      "This application was purged. Its page is gone, so it stays hidden.",
    );
  });
}

const findApp = async (
  { tx, reject }: Rejects<"app_not_found"> & { readonly tx: Tx },
  { app_id }: Hiding,
) => (await sql.appForPurge.first(tx, { id: app_id })) ?? refuseUnknown({ reject });

export const refuseUnknown = ({ reject }: Rejects<"app_not_found">): never =>
  refuse({ reject }, unknownApp);
