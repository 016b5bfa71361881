import { ownAccounts } from "../../domains/transfers/queries.ts";
import { dayOf } from "../../platform/kernel/iso-time.ts";
import type { Finding, Patient } from "./finding.ts";

/** The Nano accounts that are the network's own, now and before: what moves among them is no contribution. */
export async function checkAccounts({ snapshot }: Patient): Promise<Finding[]> {
  const accounts = snapshot === null ? [] : await ownAccounts.all(snapshot.read, {});
  return accounts.map(({ account, role, since }) => {
    const day = dayOf(since);
    const text = `${account} is the network's own (${role}), recorded on ${day}.`;
    return { about: "accounts", state: "ok", text };
  });
}
