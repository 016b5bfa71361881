import type { Owed } from "../../domains/market/payouts/payables.ts";
import type { SentAlready, SentLine } from "../../domains/market/payouts/sent-already.ts";
import { isoOf } from "../../platform/kernel/iso-time.ts";
import { xnoOf } from "../../platform/kernel/nano.ts";

type Payout = Owed["payouts"][number];
type Refund = Owed["refunds"][number];
type Doubt = Owed["doubts"][number];
type Other = SentAlready["others"][number];

const amount = (raw: string | bigint): string => `${raw} raw (${xnoOf(BigInt(raw))} XNO)`;

const sumOf = (parts: readonly { readonly amount_raw: string | null }[]): bigint =>
  parts.reduce((sum, { amount_raw }) => sum + BigInt(amount_raw ?? 0), 0n);

const DELIVERY_EDITED =
  "; its delivery is not the one that was sealed (delivery_edited): --reason is needed";
const DEBT_EDITED = "not as it was sealed (debt_edited): do not pay it before cairn audit is right";

/** The lines that the alarm and doctor only count because they have waited too long. */
const since = ({ overdue, owed_since }: Pick<Payout, "overdue" | "owed_since">): string =>
  overdue ? `; overdue, owed since ${isoOf(owed_since)}` : "";

const command = ({ order_id, n, txid }: Pick<SentLine, "order_id" | "n" | "txid">): string =>
  `market ${n === null ? `payout ${order_id}` : `refund ${order_id} --n ${n}`} --txid ${txid}`;

/** One line for each payout, and for each account that an order owes something, with what the chain shows of it. */
export function dueText(
  { disputes, payouts, refunds, unmatched, doubts, more }: Owed,
  { unasked, isWhole, lines, others }: SentAlready,
  { recorded, page }: { readonly recorded: readonly SentLine[]; readonly page: number },
): string {
  const owed = [
    ...payouts.flatMap((payout) => payoutLines(payout, lines)),
    ...refunds.flatMap((refund) => refundLines(refund, lines, others)),
  ];
  const accounts = new Set(refunds.map(({ to }) => to));
  return (
    [
      ...recorded.map((line) => `recorded: ${command(line)}`),
      ...disputes.map(
        ({ order_id, reason, held_until }) =>
          `dispute order ${order_id}: "${reason}"; cairn market resolve ${order_id} --outcome, or it goes on at ${isoOf(held_until ?? 0)}`,
      ),
      ...owed,
      ...(owed.length === 0 ? [] : warnings({ unasked, isWhole })),
      ...others
        .filter(({ to }) => !accounts.has(to))
        .map(
          ({ txid, to, amount_raw }) =>
            `sent, and recorded nowhere: ${amount(amount_raw)} to ${to}, ${txid}`,
        ),
      ...unmatched.map(
        ({ txid, from, amount_raw }) =>
          `payment without an order: ${amount(amount_raw)} from ${from}, ${txid}; send it back and record it with cairn market return ${txid} --txid`,
      ),
      ...doubtLines(doubts),
      ...moreLines(more, page),
    ].join("\n") || "Nothing is owed."
  );
}

/** How much is behind this page. */
const moreLines = (more: Owed["more"], page: number): string[] =>
  Object.entries(more)
    .filter(([, count]) => count > 0)
    .map(([list, count]) => `and ${count} more ${list}: cairn market due --page ${page + 1}`);

function payoutLines(payout: Payout, lines: readonly SentLine[]): string[] {
  const { order_id, agent_id, amount_raw, address, blocked, delivery_edited } = payout;
  const marks = lines.filter((line) => line.n === null && line.order_id === order_id);
  return [
    `payout  order ${order_id}: ${amount(amount_raw)} to ${address ?? `${agent_id} (blocked: ${blocked})`}${since(payout)}${delivery_edited ? DELIVERY_EDITED : ""}`,
    ...marks.map(mark),
  ];
}

/** With what is left to send where only the older ones of its debts were paid, and what fits none of them. */
function refundLines(
  refund: Refund,
  lines: readonly SentLine[],
  others: readonly Other[],
): string[] {
  const { order_id, debts, amount_raw, why, to, edited } = refund;
  const numbers = debts.split(",");
  const marks = lines.filter(
    (line) => line.order_id === order_id && line.n !== null && numbers.includes(`${line.n}`),
  );
  const left = BigInt(amount_raw) - sumOf(marks);
  const several = numbers.length > 1;
  return [
    `refund  order ${order_id}, ${several ? `debts ${debts}` : `debt ${debts}`} (${why}): ${edited ? DEBT_EDITED : `${amount(amount_raw)} to ${to ?? "the payer"}`}${since(refund)}`,
    ...marks.map(mark),
    ...(marks.length > 0 && left > 0n ? [`        left to send: ${amount(left)}`] : []),
    ...others
      .filter((other) => other.to === to)
      .map(
        (other) =>
          `        sent there, and no sum of its oldest debts: ${amount(other.amount_raw)}, ${other.txid}`,
      ),
  ];
}

function mark(line: SentLine): string {
  const { debts, txid, state } = line;
  const of = debts?.includes(",") ? ` for debts ${debts}` : "";
  return state === "sent"
    ? `        already sent: ${txid}${of}; record it with cairn ${command(line)}`
    : `        perhaps sent: ${txid}${of}, which is not confirmed; do not send it again`;
}

/** Small payments that an order takes no more are one line for the order: there may be thousands. */
function doubtLines(doubts: readonly Doubt[]): string[] {
  const small = doubts.filter(({ why }) => why === "too_many");
  const ofOrder = Map.groupBy(small, ({ order_id }) => order_id);
  return [
    ...doubts.filter(({ why }) => why !== "too_many").map(doubtLine),
    ...[...ofOrder].map(([order_id, some]) =>
      some.length === 1
        ? some.map(doubtLine).join("")
        : `too many small payments for order ${order_id}: ${some.length}, ${amount(sumOf(some))} in sum; --json lists them`,
    ),
  ];
}

const doubtLine = ({ txid, from, amount_raw, order_id, why, tries }: Doubt): string =>
  `doubtful (${why}, ${tries} tries): ${amount_raw === null ? "nobody agrees how much" : amount(amount_raw)} from ${from ?? "an unknown account"}${order_id === null ? "" : ` for order ${order_id}`}, ${txid}`;

function warnings({ unasked, isWhole }: Pick<SentAlready, "unasked" | "isWhole">): string[] {
  if (unasked !== null)
    return [`The chain was not asked (${unasked}): a line may be paid already.`];
  if (isWhole) return [];
  return ["The chain was not read back far enough: a line that is not marked may be paid already."];
}
