import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateSync, inflateSync } from "node:zlib";
import { deflated, deflatedAtOnce, inflated } from "./deflating.ts";

test("a body comes back as it was, however long it is", async () => {
  for (const length of [0, 1, 95, 96, 97, 4_095, 4_096, 4_097, 100_000]) {
    const body = Buffer.from(Array.from({ length }, (_, i) => (i * 7919) % 251));
    for (const each of [await deflated(body), deflatedAtOnce(body)]) {
      assert.deepEqual(inflateSync(each), body, `${length}`);
      assert.deepEqual(await inflated(each), body, `${length}`);
      assert.ok(each.length <= deflateSync(body).length * 2 + 11, `${length}`);
    }
  }
});
