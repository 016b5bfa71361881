import { watches } from "../../domains/market/queries.ts";
import { rememberAccounts } from "../../domains/transfers/own-accounts.ts";
import { accountKey } from "../../platform/chain/account.ts";
import type { PublicKey } from "../../platform/kernel/nano.ts";
import type { Service } from "./open-service.ts";

/** Records the configured accounts, and those that an invoice ever named, as the network's own. */
export async function rememberOwnAccounts({ context, chain, own }: Service): Promise<void> {
  const { read } = context;
  const escrows = (await watches.all(read, {})).map(({ account }) => accountKey(account));
  const named = (role: "project" | "escrow", keys: readonly (PublicKey | null)[]) =>
    keys.flatMap((key) => (key === null ? [] : [{ key, role }]));
  await rememberAccounts(context, [
    ...named("project", [chain.projectKey]),
    ...named("escrow", [chain.escrowKey, ...escrows]),
  ]);
  await own.refresh(read);
}
