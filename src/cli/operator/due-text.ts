import { xnoOf } from "../../kernel/nano.ts";
import type { Owed } from "../../market/due.ts";
import type { SentAlready, SentLine } from "../../market/sent-already.ts";

const amount = (raw: string): string => `${raw} raw (${xnoOf(BigInt(raw))} XNO)`;

const DELIVERY_EDITED =
  "; its delivery is not the one that was sealed (delivery_edited): --reason is needed";
const DEBT_EDITED = "not as it was sealed (debt_edited): do not pay it before cairn audit is right";

type Of = Pick<SentLine, "order_id" | "n">;

const command = ({ order_id, n }: Of): string =>
  n === null ? `market payout ${order_id}` : `market refund ${order_id} --n ${n}`;

/** One line for each debt, with what the chain shows of it. */
export function dueText(
  { payouts, refunds, unmatched, doubts }: Owed,
  { unasked, isWhole, lines, others }: SentAlready,
  recorded: readonly SentLine[],
): string {
  const marks = new Map(lines.map((line) => [command(line), line]));
  const marked = (of: Of): string => {
    const line = marks.get(command(of));
    if (line === undefined) return "";
    return line.state === "sent"
      ? `\n        already sent: ${line.txid}; record it with cairn ${command(of)} --txid ${line.txid}`
      : `\n        perhaps sent: ${line.txid}, which is not confirmed; do not send it again`;
  };
  const owed = [
    ...payouts.map(
      ({ order_id, agent_id, amount_raw, address, blocked, delivery_edited }) =>
        `payout  order ${order_id}: ${amount(amount_raw)} to ${address ?? `${agent_id}, who has ${blocked}`}${delivery_edited ? DELIVERY_EDITED : ""}${marked({ order_id, n: null })}`,
    ),
    ...refunds.map(
      ({ order_id, n, amount_raw, why, to, edited }) =>
        `refund  order ${order_id}, debt ${n} (${why}): ${edited ? DEBT_EDITED : `${amount(amount_raw)} to ${to ?? "whoever paid"}`}${marked({ order_id, n })}`,
    ),
  ];
  return (
    [
      ...recorded.map((line) => `recorded: ${command(line)} --txid ${line.txid}`),
      ...owed,
      ...(owed.length === 0 ? [] : warnings({ unasked, isWhole })),
      ...others.map(
        ({ txid, to, amount_raw }) =>
          `sent, and recorded nowhere: ${amount(amount_raw)} to ${to}, ${txid}`,
      ),
      ...unmatched.map(
        ({ txid, from, amount_raw }) =>
          `payment without an order: ${amount(amount_raw)} from ${from}, ${txid}`,
      ),
      ...doubts.map(
        ({ txid, from, amount_raw, order_id, why, tries }) =>
          `doubtful (${why}, ${tries} tries): ${amount_raw === null ? "nobody agrees how much" : amount(amount_raw)} from ${from ?? "an unknown account"}${order_id === null ? "" : ` for order ${order_id}`}, ${txid}`,
      ),
    ].join("\n") || "Nothing is owed."
  );
}

function warnings({ unasked, isWhole }: Pick<SentAlready, "unasked" | "isWhole">): string[] {
  if (unasked !== null)
    return [`The chain was not asked (${unasked}): a line may be paid already.`];
  if (isWhole) return [];
  return ["The chain was not read back far enough: a line that is not marked may be paid already."];
}
