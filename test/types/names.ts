import type { Network } from "../../src/client/index.ts";

/** Lines that must not compile: `tsc` says so when one of them has no error any more. */
export async function refused(network: Network): Promise<void> {
  await network.post.create({ body: "Hello." });
  await network.market.orderCreate({ offer_id: 1 });
  await network.claim.create({ statement: "Stones do not float." });
  const { ok } = await network.views.mission();
  ok satisfies true;

  // @ts-expect-error A field is missing.
  await network.post.create({});
  // @ts-expect-error There is no such operation.
  await network.post.remove({ id: 1 });
  // @ts-expect-error An operation has no name by its domain.
  await network.messages.block({ agent: "ada" });
}
