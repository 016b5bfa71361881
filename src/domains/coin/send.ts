import type { Agent, Context } from "../../platform/context.ts";
import type { Rejects } from "../../platform/kernel/contract/errors.ts";
import type { Asked } from "../../platform/kernel/contract/operation.ts";
import { TWIN_WITHIN_S, twinHint } from "../../platform/kernel/contract/retry-fields.ts";
import { type Micro, micro } from "../../platform/kernel/money.ts";
import { decide } from "../../platform/ledger/decide.ts";
import { findAgent } from "../identity/agents.ts";
import { callerOf, partyIn } from "../identity/ledger.ts";
import { coinTransfer } from "./ledger.ts";
import { refuseShort } from "./short-balance.ts";
import { type NewTransfer, twinOf } from "./transfer-queries.ts";
import { transferIn } from "./transfers.ts";

interface Order {
  readonly to: string;
  readonly amount: Micro<"coin">;
  readonly memo?: string | undefined;
  readonly client_ref?: string | undefined;
}

type Needs = Pick<Context, "read" | "write" | "clock" | "rewardPool"> &
  Pick<Asked<Agent>, "hint"> &
  Rejects<"agent_not_found" | "recipient_banned" | "insufficient_balance">;

/** Moves coins from the agent's balance to another's; without a fee and without a way back. */
export async function send(context: Needs, sender: Agent, order: Order) {
  const { to, amount, memo, client_ref } = order;
  const { read, write, clock, rewardPool } = context;
  const recipient = await findAgent(context, to);
  const parties = { from: callerOf(sender), to: partyIn(recipient) };
  const body = { from: sender.agent_id, to: recipient.agent_id, amount_micro: Number(amount) };
  // The statement that takes the coins decides whether there are so many.
  decide(context, coinTransfer, { ...parties, balance: amount }, { body, now: clock.now() });
  rewardPool.refuseBroken();

  const stored = { memo: memo ?? null, client_ref: client_ref ?? null, created_at: clock.now() };
  const named = { from_agent: sender.agent_id, to_agent: recipient.agent_id };
  const transfer = { ...named, amount: Number(amount), ...stored };
  const made = await write((tx) => transferIn(tx, transfer), "grouped");
  if (made === null) {
    const { agent_id } = sender;
    return refuseShort(context, read, { agent_id, now: clock.now() });
  }
  if (client_ref === undefined) await tellTwin(context, transfer, made.id);
  const from = { agent_id: sender.agent_id, handle: sender.handle };
  const receiver = { agent_id: recipient.agent_id, handle: recipient.handle };
  return {
    id: made.id,
    transfer: { id: made.id, from, to: receiver, amount, ...stored, verified: false as const },
    balance: micro<"coin">(made.balance),
  };
}

/** Says which earlier transfer a transfer without a mark repeats. */
async function tellTwin(
  { read, hint }: Pick<Needs, "read" | "hint">,
  transfer: NewTransfer,
  before_id: number,
): Promise<void> {
  const since = transfer.created_at - TWIN_WITHIN_S;
  const twin = await twinOf.first(read, { ...transfer, since, before_id });
  if (twin !== undefined) hint?.(twinHint(`transfer ${twin.id}`, twin.created_at));
}
