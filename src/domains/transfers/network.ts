import type { Store } from "../../platform/db/engine.ts";
import { prepared } from "../../platform/db/prepared.ts";
import type { Network } from "./tables.ts";

export const chosenNetwork = prepared((db, _: object) =>
  db.selectFrom("chain_network").select("network").where("id", "=", 1),
);

const chooseOnce = prepared((db, { network }: { network: Network }) =>
  db
    .insertInto("chain_network")
    .values({ id: 1, network })
    .onConflict((conflict) => conflict.doNothing()),
);

/**
 * The network whose transfers this database records. The first start chooses it for ever: figures
 * that were checked on a chain of play money must never stand beside real ones.
 */
export async function chooseNetwork(
  { read, write }: Pick<Store, "read" | "write">,
  network: Network,
): Promise<Network> {
  const known = await chosenNetwork.first(read, {});
  if (known !== undefined) return known.network;
  await write((tx) => chooseOnce.run(tx, { network }));
  return (await chosenNetwork.first(read, {}))?.network ?? network;
}
