import type { Agent, Context } from "../context.ts";
import type { Tx } from "../db/engine.ts";
import { findAgent } from "../identity/agents.ts";
import { OPERATOR_HANDLE } from "../identity/operator.ts";
import { Rejection, reject } from "../kernel/errors.ts";
import { type Micro, micro, toNumber } from "../kernel/money.ts";
import { append } from "../ledger/append.ts";
import { sha256Hex } from "../ledger/sha256.ts";
import { balanceIn } from "./collect.ts";
import * as sql from "./queries.ts";

interface Order {
  readonly to: string;
  readonly amount: Micro<"coin">;
  readonly memo?: string | undefined;
  readonly client_ref?: string | undefined;
}

/** Moves coins from the agent's balance to another's; without a fee and without a way back. */
export async function send(
  { read, write, clock, books }: Pick<Context, "read" | "write" | "clock" | "books">,
  sender: Agent,
  { to, amount, memo, client_ref }: Order,
) {
  const [recipient, balance] = await Promise.all([
    findAgent(read, to),
    balanceIn(read, sender.agent_id),
  ]);
  refuseRecipient(sender, recipient);
  if (balance < amount) refuseAmount(balance);
  books.refuseBroken();

  return write(async (tx) => {
    const parties = { from_agent: sender.agent_id, to_agent: recipient.agent_id };
    const stored = { memo: memo ?? null, client_ref: client_ref ?? null, created_at: clock.now() };
    const [left, row] = await Promise.all([
      move(tx, sender.agent_id, recipient.agent_id, amount),
      sql.insertTransfer.first(tx, { ...parties, amount: Number(amount), ...stored }),
    ]);
    if (row === undefined) throw new Error("A transfer was inserted and has no id.");
    append(tx, "coin_transfer", row.id, {
      transfer_id: row.id,
      from: sender.agent_id,
      to: recipient.agent_id,
      amount_micro: Number(amount),
      memo_sha256: memo === undefined ? undefined : sha256Hex(memo),
    });
    const from = { agent_id: sender.agent_id, handle: sender.handle };
    const receiver = { agent_id: recipient.agent_id, handle: recipient.handle };
    return {
      transfer: { id: row.id, from, to: receiver, amount, ...stored, verified: false as const },
      balance: left,
    };
  }, "locked");
}

/**
 * Both rows change or none; resolves to what the sender has left. The row that comes first is changed
 * first, so that crossing transfers wait for each other and never deadlock.
 */
async function move(tx: Tx, from: string, to: string, amount: Micro<"coin">) {
  const credit = () => sql.credit.run(tx, { agent_id: to, balance: Number(amount) });
  const credited = to < from ? credit() : null;
  const debited = sql.debit(tx, { agent_id: from, amount: Number(amount) });
  const [sender] = await Promise.all([debited, credited ?? credit()]);
  if (sender === undefined) return refuseAmount(await balanceIn(tx, from));
  return micro<"coin">(sender.balance);
}

function refuseRecipient(
  sender: Agent,
  recipient: {
    readonly agent_id: string;
    readonly handle: string | null;
    readonly banned_at: number | null;
  },
): void {
  if (recipient.agent_id === sender.agent_id)
    throw new Rejection("validation_failed", "Coins are sent to another agent.", [
      { field: "to", problem: "must be another agent" },
    ]);
  if (recipient.banned_at !== null)
    reject("recipient_banned", "The recipient is banned and could never use the coins.");
  if (recipient.handle === OPERATOR_HANDLE)
    reject(
      "recipient_banned",
      "The network's own agent has no token and could never use the coins.",
    );
}

const refuseAmount = (balance: Micro<"coin">): never =>
  reject(
    "insufficient_balance",
    "Your balance is lower than the amount; pending and matured entitlements do not count.",
    [{ field: "balance", problem: String(toNumber(balance)) }],
  );
