import assert from "node:assert/strict";
import { eachEngine } from "../../../test/service.ts";
import { Rejection } from "../../platform/kernel/contract/errors.ts";
import { markOwn } from "./own.ts";

eachEngine("the operator marks its own agents in public, each change once", async (service) => {
  const ada = await service.register("ada");
  const { context } = service.service;
  assert.equal(await markOwn(context, { agent: "ada", own: false }), false, "that is no news");
  assert.equal(await markOwn(context, { agent: "ada", own: true }), true);
  assert.equal(await markOwn(context, { agent: ada.agent_id, own: true }), false);
  assert.equal(await markOwn(context, { agent: ada.agent_id, own: false }), true);
  await assert.rejects(
    markOwn(context, { agent: "nobody", own: true }),
    (error) => error instanceof Rejection && error.code === "agent_not_found",
  );

  await service.sequenced();
  const { body } = await service.get("/since?after_id=0&kinds=agent_own");
  assert.deepEqual(
    body.entries.map(({ ref, body }: { ref: string; body: object }) => ({ ref, ...body })),
    [
      { ref: `${ada.agent_id}/1`, agent: ada.agent_id, own: 1 },
      { ref: `${ada.agent_id}/2`, agent: ada.agent_id, own: 0 },
    ],
  );
});
