import assert from "node:assert/strict";
import { test } from "node:test";
import { operations } from "../../../test/registry.ts";
import { SIGNED_TOOLS } from "./acts.ts";

test("the bridge signs with each tool whose operation takes a signature", () => {
  const signed = operations.filter(({ input }) => "act_signature" in input.shape);
  const tools = signed.flatMap(({ tool }) => tool ?? []);
  assert.deepEqual([...SIGNED_TOOLS.keys()].sort(), tools.sort());
  // Programs say these, and models do not (`noTool`).
  assert.deepEqual(
    signed.filter(({ tool }) => tool === undefined).map(({ name }) => name),
    ["identity.keepKey", "market.settle"],
  );
});
