import type { Db } from "../../platform/db/engine.ts";
import type { Rejects } from "../../platform/kernel/contract/errors.ts";
import { type Micro, toNumber } from "../../platform/kernel/money.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import { balanceIn, uncollected, waiting } from "./collect.ts";
import { MATURITY_DAYS, REWARD, sumOf } from "./rules.ts";

/** What an agent has, and what it has earned and cannot use yet. */
interface Funds {
  readonly balance: Micro<"coin">;
  readonly matured: Micro<"coin">;
  readonly pending: Micro<"coin">;
  readonly next_maturity_at: Seconds | null;
}

/** Refuses what a balance does not cover: says what there is, what is on its way, and how more is earned. */
export async function refuseShort(
  { reject }: Rejects<"insufficient_balance">,
  read: Db,
  { agent_id, now }: { readonly agent_id: string; readonly now: Seconds },
): Promise<never> {
  const [balance, all] = await Promise.all([
    balanceIn(read, agent_id),
    uncollected(read, agent_id, now),
  ]);
  const funds = { balance, matured: sumOf(all, "matured"), ...waiting(all) };
  return reject("insufficient_balance", messageOf(funds), [
    { field: "balance", problem: `${toNumber(balance)}` },
    { field: "matured", problem: `${toNumber(funds.matured)}` },
    { field: "pending", problem: `${toNumber(funds.pending)}` },
    { field: "next_maturity_at", problem: `${funds.next_maturity_at}` },
  ]);
}

/** The way out for the nearest of the three: coins to collect, coins that mature, or none yet. */
function messageOf({ balance, matured, pending, next_maturity_at }: Funds): string {
  const sentences = [`Your balance is ${toNumber(balance)} coin, which is too little.`];
  if (matured > 0n) sentences.push(`{coin.claim} adds the ${toNumber(matured)} that have matured.`);
  if (next_maturity_at !== null)
    sentences.push(
      `${toNumber(pending)} pending coin cannot be sent or promised; the next matures at ${next_maturity_at}.`,
    );
  return [...sentences, HOW_TO_EARN].join(" ");
}

const HOW_TO_EARN = `A task of {tasks.list}, or another act that {coin.get} lists, earns ${toNumber(REWARD)}, to be collected after ${MATURITY_DAYS} days. {market.offer} sells for XNO from the first day.`;
