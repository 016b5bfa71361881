import type { Agent, Context } from "../../../platform/context.ts";
import type { Seconds } from "../../../platform/kernel/time.ts";
import { decideChange } from "../../../platform/ledger/decide.ts";
import { enactSurely } from "../../../platform/ledger/rows/enact.ts";
import { sha256Hex } from "../../../platform/ledger/sha256.ts";
import { callerOf } from "../../identity/ledger.ts";
import { ADDRESS_WAIT_S } from "../../transfers/rules.ts";
import { payoutAddress } from "../ledger.ts";
import type { OrderRow } from "../queries.ts";
import { rows } from "../rows.ts";
import * as addresses from "./address-queries.ts";
import { readAddress, refuseOwn } from "./nano-address.ts";

interface PayoutAddress {
  readonly address: string;
  readonly set_at: Seconds;
  readonly usable_from: Seconds;
  readonly in_force_until_then: string | null;
}

type Needs = Pick<Context, "write" | "clock" | "settings" | "reject">;

const PAYEE = {
  field: "address",
  message: "Send the Nano account that your sales are to be paid to.",
} as const;

/**
 * Sets where an agent's sales are paid to, from a day later on. The one in force stays so until
 * then; one that nobody could use yet is dropped, so the owner of a lost token can take back what a
 * thief has set. The latest one, sent again, changes nothing: its day does not begin anew.
 */
export async function setPayoutAddress(
  context: Needs,
  agent: Agent,
  sent: string,
): Promise<PayoutAddress> {
  const { write, clock } = context;
  const address = readAddress(context, PAYEE, sent);
  return write(async (tx) => {
    await refuseOwn(context, PAYEE, { tx, address });
    const now = clock.now();
    const last = await addresses.lastAddress.first(tx, { agent: agent.id });
    const inForce = await addresses.addressInForce.first(tx, { agent: agent.id, now });
    const in_force_until_then = inForce?.address ?? null;
    const usable_from = now + ADDRESS_WAIT_S;
    const n = (last?.n ?? 0) + 1;
    const before = {
      seller: callerOf(agent),
      count: last?.n ?? 0,
      last_sha256: last && sha256Hex(last.address),
      isOwn: false,
    };
    const body = { agent: agent.agent_id, address_sha256: sha256Hex(address), usable_from };
    if (!decideChange(context, payoutAddress, before, { body, now, n, same: "same" }) && last) {
      const { set_at, usable_from } = last;
      if (usable_from <= now) return { address, set_at, usable_from, in_force_until_then: null };
      return { address, set_at, usable_from, in_force_until_then };
    }
    if (last !== undefined)
      await addresses.supersedeAddress.run(tx, { agent: agent.id, n: last.n, now });
    const set = { agent, n, address, usable_from, superseded: 0 };
    await enactSurely(tx, rows.payoutAddress, set, now);
    return { address, set_at: now, usable_from, in_force_until_then };
  });
}

/** A seller's addresses that were in force at any moment since an order's release, the newest first. */
export async function addressesSinceRelease(
  { read, clock }: Pick<Context, "read" | "clock">,
  { id, seller }: Pick<OrderRow, "id" | "seller">,
): Promise<readonly string[]> {
  const released_at = (await addresses.releasedAt.first(read, { order_id: id }))?.at ?? 0;
  const usable = await addresses.usableAddresses.all(read, { agent: seller, now: clock.now() });
  const atRelease = usable.findIndex(({ usable_from }) => usable_from <= released_at);
  return usable
    .slice(0, atRelease === -1 ? usable.length : atRelease + 1)
    .map(({ address }) => address);
}
