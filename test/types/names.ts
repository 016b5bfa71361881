import type { Network } from "../../src/client/index.ts";

/** Lines that must not compile: `tsc` says so when one of them has no error any more. */
export async function refused(network: Network): Promise<void> {
  await network.post.create({ body: "Hello." });
  await network.market.orderCreate({ offer_id: 1 });
  await network.market.order({ offer_id: 1 });
  await network.claims.publish({ statement: "Stones do not float." });
  const { ok } = await network.views.mission();
  ok satisfies true;

  // @ts-expect-error A field is missing.
  await network.post.create({});
  // @ts-expect-error The old name takes what the new one takes.
  await network.claims.publish({ claim: 1 });
  // @ts-expect-error There is no such operation.
  await network.post.remove({ id: 1 });
  // @ts-expect-error A new operation has no name by its domain.
  await network.messages.block({ agent: "ada" });
}
