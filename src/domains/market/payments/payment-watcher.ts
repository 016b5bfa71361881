import { accountText } from "../../../platform/chain/account.ts";
import type { Context } from "../../../platform/context.ts";
import { DAY_S, MINUTE_S } from "../../../platform/kernel/time.ts";
import { apart } from "../../../platform/ledger/forbidden.ts";
import { watched, watches } from "../queries.ts";
import { INVOICE_WATCH_S } from "../rules.ts";
import * as sql from "./queries.ts";
import { type Handled, scanAccount } from "./scan.ts";

/** How often an account is looked at: while invoices name it, and when none has for long. */
const EVERY_S = { live: 10, dev: 1, idle: 5 * MINUTE_S };

type Needs = Pick<Context, "read" | "write" | "clock" | "chain" | "settings" | "edited">;

/**
 * One round of the payment watcher: looks at each escrow account whose turn it is. Its cost depends
 * on the transfers that came since the last round, not on how many invoices are open.
 */
export async function watchPayments(context: Needs, handled: Handled): Promise<void> {
  const { chain, settings, read, write, clock } = context;
  if (chain === null || settings.escrowKey === null) return;
  const own = accountText(settings.escrowKey);
  if ((await watched.first(read, { account: own })) === undefined)
    await write((tx) => sql.beginWatch.run(tx, { account: own }));
  const each = apart();
  for (const { account, invoiced_at, next_at, scanned_at } of await watches.all(read, {})) {
    const now = clock.now();
    const ahead = now + sql.AHEAD_MAX_S;
    if (next_at > now && next_at <= ahead) continue;
    const isBusy =
      scanned_at === null || // Never, or not since a backup was restored.
      now - invoiced_at <= INVOICE_WATCH_S + DAY_S ||
      (await sql.anyUnpaid.first(read, { account })) !== undefined;
    if (!isBusy && account !== own) continue;
    const turn = {
      account,
      now,
      ahead,
      next_at: now + (isBusy ? EVERY_S[chain.network] : EVERY_S.idle),
    };
    if ((await write((tx) => sql.takeTurn.run(tx, turn))) === 0) continue;
    await each.attempt(() => scanAccount({ ...context, chain }, account, handled));
  }
  each.end();
}
