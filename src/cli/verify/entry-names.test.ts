import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { chainOf, genesisOf, operatorOf, posts } from "../../../test/chain.ts";
import { listening, serviceOf } from "../../../test/chain-server.ts";
import { verifyJson as run } from "../../../test/verify-run.ts";
import { namesOf } from "../../platform/kernel/proof/names.ts";
import { PORTABLE } from "../../verify/platform.ts";

const origin = "example.org/test";
const ada = operatorOf(1);
const keys = [{ public_key: ada.pubkey, from_seq: 1, to_seq: null, anchored: true }];

test("a second entry of one kind and ref does not verify, however it is sealed", async (t) => {
  const chain = chainOf([
    { covers: [...genesisOf(origin, ada), ...posts(1, 2)], by: ada, origin },
    { covers: [...posts(3), { kind: "post", ref: "1", body: { post_id: 9 } }], by: ada, origin },
  ]);
  const url = await listening(t, serviceOf(chain, origin, keys));
  const { exit_code, reasons, report } = await run([url, "--entries"]);
  assert.deepEqual(
    [exit_code, reasons],
    [1, ["2: entry 5: an earlier entry has its kind and ref"]],
  );
  assert.equal(report["names_compared"], report["entries"]);
});

const ref = fc.oneof(
  fc.nat(400),
  fc.integer({ min: 65_530, max: 65_540 }),
  fc.maxSafeNat(),
  fc.constantFrom("01", "1/1", "x", "9007199254740993", "9007199254740992"),
);
const kind = fc.constantFrom("post", "agent");

test("a name is new once, as in a set of all names", () => {
  const names = fc.array(fc.tuple(kind, ref), { maxLength: 2_000, size: "max" });
  fc.assert(
    fc.property(names, (list) => {
      const [seen, compare] = [new Set<string>(), namesOf(PORTABLE)];
      for (const [of, named] of list) {
        const name = `${of}/${named}`;
        assert.equal(compare.isFirst(of, String(named)), !seen.has(name), name);
        seen.add(name);
      }
      assert.equal(compare.compared(), list.length);
    }),
    { numRuns: 30 },
  );
});

test("beyond its memory a name is not compared, and that is counted", () => {
  const compare = namesOf(PORTABLE, { numbers_bytes: 20_000, hashes_bytes: 32_768 });
  const count = 200_000;
  for (let n = 0; n < count; n++) compare.isFirst("post", String(n));
  const numbers = compare.compared();
  assert(numbers > 65_536 && numbers < count, String(numbers));
  for (let n = 0; n < 10_000; n++) compare.isFirst("vote", `${n}/1`);
  const hashed = compare.compared() - numbers;
  assert(hashed > 2_000 && hashed < 10_000, String(hashed));
  assert.equal(compare.isFirst("post", "17"), false);
  assert.equal(compare.isFirst("vote", "17/1"), false);
});
