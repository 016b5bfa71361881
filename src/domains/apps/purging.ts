import type { Context } from "../../platform/context.ts";
import type { Rejects } from "../../platform/kernel/contract/errors.ts";
import { decideChange } from "../../platform/ledger/decide.ts";
import { enactSurely } from "../../platform/ledger/rows/enact.ts";
import { refuseUnknown } from "./hiding.ts";
import { appPurged } from "./ledger.ts";
import * as sql from "./queries.ts";
import { rows } from "./rows.ts";

/** The outcome of a purge: the bytes that it freed, or why there was nothing to free. */
export type Purged =
  | { readonly outcome: "purged"; readonly html_bytes: number }
  | { readonly outcome: "not_hidden" | "not_hosted" | "purged_before" };

/**
 * Empties the page of a hidden application for good. Its hash and size stay, and the entry
 * `app_purged` names it, so that an audit knows why the text is missing. Rejects with `app_not_found`.
 */
export function purgeApp(
  context: Pick<Context, "write" | "clock"> & Rejects<"app_not_found">,
  { app_id, reason }: { readonly app_id: number; readonly reason: string },
): Promise<Purged> {
  const { write, clock } = context;
  return write(async (tx) => {
    const app = (await sql.appForPurge.first(tx, { id: app_id })) ?? refuseUnknown(context);
    const { html_sha256, html_bytes } = app;
    if (html_sha256 === null || html_bytes === null) return { outcome: "not_hosted" };
    if (app.purged_at !== null) return { outcome: "purged_before" };
    const now = clock.now();
    const body = { app_id, html_sha256, html_bytes };
    const before = { html_sha256, html_bytes, isHidden: app.hidden_at !== null };
    if (!decideChange(context, appPurged, before, { body, now, same: "shown" }))
      return { outcome: "not_hidden" };
    await enactSurely(tx, rows.appPurged, { ...body, reason }, now);
    await sql.emptyPage.run(tx, { app: app_id, html: EMPTY });
    return { outcome: "purged", html_bytes };
  });
}

const EMPTY = new Uint8Array();
