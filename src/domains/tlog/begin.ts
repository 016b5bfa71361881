import type { Context } from "../../platform/context.ts";
import { epochOf, firstOrigin } from "../../platform/kernel/proof/origin.ts";
import { append } from "../../platform/ledger/append.ts";
import { originOf } from "../../platform/ledger/seals/epochs.ts";
import type { SigningKey } from "../../platform/ledger/seals/signer.ts";
import { logKey } from "./entries.ts";
import { keysOf, logOrigin } from "./log.ts";

/** Throws a sentence when no log can have a name of this ledger's. */
function demandLogName(ledger_origin: string): void {
  if (!firstOrigin(ledger_origin).includes("+")) return;
  throw new Error(
    `The ledger's origin ${ledger_origin} contains a "+", which no log's name may: this network has no public log.`,
  );
}

/**
 * Names the key of a new log in the ledger. `keyFor` gives the key, and gets those that the ledger
 * names already. Resolves to the log's origin and its key. Throws a sentence when no log can be.
 */
export async function beginLog(
  { read, write }: Pick<Context, "read" | "write">,
  keyFor: (named: ReadonlySet<string>) => SigningKey,
): Promise<{ readonly origin: string; readonly pubkey: string }> {
  const ledger_origin = (await originOf(read)) ?? "";
  demandLogName(ledger_origin);
  const epoch = epochOf(ledger_origin);
  const known = await keysOf(read);
  const { pubkey } = keyFor(new Set(known.map((each) => each.pubkey)));
  const n = known.filter((each) => each.epoch === epoch).length + 1;
  const origin = logOrigin(ledger_origin, n);
  await write(async (tx) => append(tx, logKey, { epoch, log_origin: origin, pubkey }, n));
  return { origin, pubkey };
}
