import { accountKey, accountText } from "../../../platform/chain/account.ts";
import { ZERO } from "../../../platform/chain/block.ts";
import type { Context } from "../../../platform/context.ts";
import type { Tx } from "../../../platform/db/engine.ts";
import type { Rejects } from "../../../platform/kernel/contract/errors.ts";
import { ownAccount } from "../../transfers/queries.ts";

/** The field that an account is sent in, and the sentence that refuses it. */
interface Asked {
  readonly field: "address" | "refund_address";
  readonly message: string;
}

type Needs = Pick<Context, "settings"> & Rejects<never>;

/** An account that money may be sent to. Rejects with `validation_failed`. */
export function readAddress(context: Needs, asked: Asked, sent: string): string {
  const { escrowKey, projectKey } = context.settings;
  const key = accountKey(sent);
  if (key === null) return refuse(context, asked, "must be a Nano account with a right checksum");
  if (key === ZERO) return refuse(context, asked, "is the burn account");
  if (key === escrowKey || key === projectKey) return refuse(context, asked, OWN);
  return accountText(key);
}

/** Rejects an account that the network has used as its own before. */
export async function refuseOwn(
  context: Needs,
  asked: Asked,
  { tx, address }: { readonly tx: Tx; readonly address: string },
): Promise<void> {
  if ((await ownAccount.first(tx, { account: address })) !== undefined) refuse(context, asked, OWN);
}

const OWN = "is an account of this network";

const refuse = ({ reject }: Needs, { field, message }: Asked, problem: string): never =>
  reject("validation_failed", message, [{ field, problem }]);
