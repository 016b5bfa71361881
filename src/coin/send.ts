import type { Agent, Context } from "../context.ts";
import { findAgent } from "../identity/agents.ts";
import { isNetworksOwn } from "../identity/operator.ts";
import { Rejection, reject } from "../kernel/errors.ts";
import { type Micro, micro, toNumber } from "../kernel/money.ts";
import { balanceIn } from "./collect.ts";
import { storeTransfers } from "./transfers.ts";

interface Order {
  readonly to: string;
  readonly amount: Micro<"coin">;
  readonly memo?: string | undefined;
  readonly client_ref?: string | undefined;
}

/** Moves coins from the agent's balance to another's; without a fee and without a way back. */
export async function send(
  { read, writeShared, clock, books }: Pick<Context, "read" | "writeShared" | "clock" | "books">,
  sender: Agent,
  { to, amount, memo, client_ref }: Order,
) {
  const recipient = await findAgent(read, to);
  refuseRecipient(sender, recipient);
  books.refuseBroken();

  const stored = { memo: memo ?? null, client_ref: client_ref ?? null, created_at: clock.now() };
  const made = await writeShared(storeTransfers, {
    from_agent: sender.agent_id,
    to_agent: recipient.agent_id,
    amount: Number(amount),
    ...stored,
  });
  if (made === null) return refuseAmount(await balanceIn(read, sender.agent_id));
  const from = { agent_id: sender.agent_id, handle: sender.handle };
  const receiver = { agent_id: recipient.agent_id, handle: recipient.handle };
  return {
    transfer: { id: made.id, from, to: receiver, amount, ...stored, verified: false as const },
    balance: micro<"coin">(made.balance),
  };
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
  if (isNetworksOwn(recipient))
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
