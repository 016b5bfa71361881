import * as z from "zod";
import { accountText } from "../../../platform/chain/account.ts";
import type { Context } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/engine.ts";
import { micro, toNumber } from "../../../platform/kernel/money.ts";
import { bodiesOf } from "../../../platform/ledger/entry-bodies.ts";
import { ledgerHead } from "../../../platform/ledger/queries.ts";
import { type market, marketLedgerCursor } from "../contract.ts";
import { ORDER_KINDS, STATES } from "../rules.ts";
import { HOW_TO_CHECK_RESERVES, LEDGER_NOTE } from "../texts.ts";
import { readFigures } from "./figures.ts";
import { entriesOf } from "./ledger-queries.ts";

type Answer = z.output<typeof market.ledger.output>;
type Entry = Answer["entries"][number];
type Value = Entry[string];

interface Which {
  readonly limit: number;
  readonly before_id: number;
  readonly order_id?: number;
}

/** The public ledger of all orders, or of one, and what the venue owes. */
export async function marketLedger(
  read: Db,
  { settings }: Pick<Context, "settings">,
  which: Which,
): Promise<Answer> {
  const [rows, figure, head] = await Promise.all([
    entriesOf.all(read, { ...which, limit: which.limit + 1 }),
    readFigures(read),
    ledgerHead.first(read, {}),
  ]);
  const bodies = await bodiesOf(
    read,
    rows.map(({ id }) => id),
  );
  const shown = rows.map((row) => showEntry(row, bodies.get(row.id) ?? ""));
  const page = marketLedgerCursor.page(shown, which.limit);
  const { items: entries, more, next } = page;
  const usd = (name: Parameters<typeof figure>[0]) => micro<"usd">(figure(name));
  const states = STATES.map((state) => [state, Number(figure(`orders_${state}`))] as const);
  const fees_usd = usd("fees_usd");
  const payouts_due_usd = usd("payouts_due_usd");
  const payouts_sent_usd = usd("payouts_sent_usd");
  const address = settings.escrowKey === null ? null : accountText(settings.escrowKey);
  return {
    entries,
    count: entries.length,
    more,
    next,
    totals: {
      offers_open: Number(figure("offers_open")),
      orders: states.reduce((sum, [, n]) => sum + n, 0),
      orders_by_state: Object.fromEntries(states.filter(([, n]) => n > 0)),
      released_usd: micro(fees_usd + payouts_due_usd + payouts_sent_usd),
      fees_usd,
      payouts_due_usd,
      payouts_sent_usd,
      refunds_due_usd: usd("refunds_due_usd"),
      refunds_sent_usd: usd("refunds_sent_usd"),
    },
    reserves: {
      address,
      owed_raw: String(figure("owed_raw")),
      how_to_check: HOW_TO_CHECK_RESERVES,
    },
    as_of_ledger_id: head?.last_id ?? 0,
    note: LEDGER_NOTE,
  };
}

type Row = Awaited<ReturnType<typeof entriesOf.all>>[number];

const orderKind = z.enum(ORDER_KINDS);
const bodyOf = z.record(z.string(), z.union([z.string(), z.number()]));

const YES_OR_NO: ReadonlySet<string> = new Set(["checked", "late", "redirected", "ends"]);

/** The fields of an entry's body, in the words of an answer. */
function showEntry(row: Row, body: string): Entry {
  const shown: Record<string, Value> = {};
  const buyer = { agent_id: row.buyer_id, handle: row.buyer_handle };
  const seller = { agent_id: row.seller_id, handle: row.seller_handle };
  for (const [name, value] of Object.entries(bodyOf.parse(JSON.parse(body)))) {
    if (name === "buyer") shown[name] = buyer;
    else if (name === "seller" || name === "agent") shown[name] = seller;
    else if (YES_OR_NO.has(name)) shown[name] = value === 1;
    else if (name.endsWith("usd_micro"))
      shown[name.replace("_micro", "")] = toNumber(BigInt(value));
    else if (name === "reason_sha256" && row.reason !== null) shown["reason"] = reasonOf(row) ?? "";
    else shown[name] = value;
  }
  const { id, at, kind, ref, order_id } = row;
  return { ...shown, id, at: at ?? 0, kind: orderKind.parse(kind), ref, order_id };
}

const reasonOf = ({ kind, reason, outcome_reason }: Row): string | null =>
  kind === "order_held" ? reason : outcome_reason;
