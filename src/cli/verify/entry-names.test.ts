import assert from "node:assert/strict";
import { test } from "node:test";
import { chainOf, genesisOf, operatorOf, posts } from "../../../test/chain.ts";
import { listening, serviceOf } from "../../../test/chain-server.ts";
import { verifyJson as run } from "../../../test/verify-run.ts";
import { namesOf } from "./entry-names.ts";

const origin = "example.org/test";
const ada = operatorOf(1);
const keys = [{ public_key: ada.pubkey, from_seq: 1, to_seq: null, anchored: true }];

test("a second entry of one kind and ref does not verify, however it is sealed", async (t) => {
  const chain = chainOf([
    { covers: [...genesisOf(origin, ada), ...posts(1, 2)], by: ada, origin },
    { covers: [...posts(3), { kind: "post", ref: "1", body: { post_id: 9 } }], by: ada, origin },
  ]);
  const url = await listening(t, serviceOf(chain, origin, keys));
  const { exit_code, reasons } = await run([url, "--entries"]);
  assert.deepEqual(
    [exit_code, reasons],
    [1, ["2: entry 5: an earlier entry has its kind and ref"]],
  );
});

test("of 100,000 names each is new once, and none is new again", () => {
  const isFirst = namesOf();
  const kinds = ["post", "agent"];
  const names = kinds.flatMap((kind) =>
    Array.from({ length: 50_000 }, (_, i) => ({ kind, ref: String(i) })),
  );
  assert.equal(names.filter(isFirst).length, 100_000);
  assert.equal(names.filter(isFirst).length, 0);
});
