import type { Context } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/engine.ts";
import type { Rejects } from "../../platform/kernel/contract/errors.ts";
import { decideChange, refuse } from "../../platform/ledger/decide.ts";
import { enactSurely } from "../../platform/ledger/rows/enact.ts";
import { appHidden, appUnhidden, unknownApp } from "./ledger.ts";
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
  const { app_id } = hiding;
  return write(async (tx) => {
    const now = clock.now();
    const before = await hidingOf(tx, app_id);
    const n = (before?.hidings ?? 0) + 1;
    const change = { body: { app_id }, now, n, same: "hidden" } as const;
    if (!decideChange(context, appHidden, before, change)) return false;
    await enactSurely(tx, rows.appHidden, hiding, now);
    return true;
  });
}

/**
 * Undoes `hideApp`. False when the application was not hidden. Rejects with `app_not_found`, or
 * `app_hidden` when its page was purged: there is nothing left to show.
 */
export function unhideApp(context: Writing, hiding: Hiding): Promise<boolean> {
  const { write, clock } = context;
  const { app_id } = hiding;
  return write(async (tx) => {
    const now = clock.now();
    const before = await hidingOf(tx, app_id);
    const change = { body: { app_id }, now, n: before?.hidings, same: "shown" } as const;
    if (!decideChange(context, appUnhidden, before, change)) return false;
    await enactSurely(tx, rows.appUnhidden, hiding, now);
    return true;
  });
}

async function hidingOf(tx: Tx, id: number) {
  const app = await sql.appForPurge.first(tx, { id });
  if (app === undefined) return undefined;
  const { hidings, hidden_at, purged_at } = app;
  return { hidings, isHidden: hidden_at !== null, isPurged: purged_at !== null };
}

export const refuseUnknown = ({ reject }: Rejects<"app_not_found">): never =>
  refuse({ reject }, unknownApp);
