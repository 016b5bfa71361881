import { accountKey, accountText } from "../../platform/chain/account.ts";
import type { Context } from "../../platform/context.ts";
import type { Db } from "../../platform/db/engine.ts";
import type { PublicKey } from "../../platform/kernel/nano.ts";
import { enact } from "../../platform/ledger/rows/enact.ts";
import { chosenNetwork } from "./network.ts";
import * as sql from "./queries.ts";
import { rows } from "./rows.ts";
import type { AccountRole } from "./tables.ts";

/** Every account that was ever the network's own: money that moves among them is no contribution. */
export interface OwnAccounts {
  /** As of the last look. */
  readonly keys: () => readonly PublicKey[];
  refresh(read: Db): Promise<void>;
}

export function ownAccounts(): OwnAccounts {
  let keys: readonly PublicKey[] = [];
  return {
    keys: () => keys,
    async refresh(read) {
      const rows = await sql.ownAccounts.all(read, {});
      keys = rows.flatMap(({ account }) => accountKey(account) ?? []);
    },
  };
}

/** An account as the configuration or the operator names it. */
interface OwnAccount {
  readonly key: PublicKey;
  readonly role: AccountRole;
}

type Needs = Pick<Context, "read" | "write" | "clock">;

/**
 * Records accounts as the network's own, each with an entry, unless they are known. They stay so for
 * ever, so that a new project or escrow account never turns the old one's money into contributions.
 */
export async function rememberAccounts(
  { read, write, clock }: Needs,
  accounts: readonly OwnAccount[],
): Promise<number> {
  const known = new Set((await sql.ownAccounts.all(read, {})).map(({ account }) => account));
  const fresh = accounts.filter(({ key }) => !known.has(accountText(key)));
  if (fresh.length === 0) return 0;
  const network = (await chosenNetwork.first(read, {}))?.network;
  return write(async (tx) => {
    let n = (await sql.lastOwnAccount.first(tx, {}))?.n ?? 0;
    let added = 0;
    for (const { key, role } of fresh) {
      const account = accountText(key);
      const named = { key, account, role, n: n + 1, network };
      if ((await enact(tx, rows.ownAccount, named, clock.now())) === undefined) continue;
      n++;
      added++;
    }
    return added;
  });
}

/** The same for one account that the operator adds. Rejects when it is no account, or known. */
export async function addOwnAccount(
  context: Needs & Pick<Context, "reject">,
  { address, role }: { readonly address: string; readonly role: AccountRole },
): Promise<void> {
  const key = accountKey(address);
  if (key === null) return refuse(context, "must be a Nano account with a right checksum");
  if ((await rememberAccounts(context, [{ key, role }])) === 0) refuse(context, "is known already");
}

const refuse = ({ reject }: Pick<Context, "reject">, problem: string): never =>
  reject("validation_failed", "Name an account of this network.", [{ field: "address", problem }]);
