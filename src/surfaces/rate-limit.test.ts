import assert from "node:assert/strict";
import { test } from "node:test";
import { BUCKETS_MAX, rateLimitOf } from "./rate-limit.ts";

const MINUTE_MS = 60_000;

/** A limit of two a minute on a clock that the test moves. */
function limited() {
  const at = { now_ms: 0, keys: 0 };
  const random = (n: number) => new Uint8Array(n).fill(++at.keys);
  const take = rateLimitOf({ perMinute: 2, now_ms: () => at.now_ms, random });
  const from = (address: string, forwardedFor?: string) =>
    take({ agent: null, address, forwardedFor });
  const as = (agent_id: string) =>
    take({
      agent: { id: 1, agent_id, handle: null },
      address: "10.0.0.1",
      forwardedFor: undefined,
    });
  const drain = (address: string, forwardedFor?: string) => [
    from(address, forwardedFor),
    from(address, forwardedFor),
  ];
  return { at, from, as, drain };
}

test("a bucket fills again with time, up to what a minute allows", () => {
  const { at, as } = limited();
  assert.deepEqual([as("a"), as("a"), as("a"), as("b")], [0, 0, 30, 0]);
  at.now_ms += 10_000;
  assert.equal(as("a"), 20);
  at.now_ms += 20_000;
  assert.deepEqual([as("a"), as("a")], [0, 30]);
  at.now_ms += 5 * MINUTE_MS;
  assert.deepEqual([as("a"), as("a"), as("a")], [0, 0, 30]);
});

test("an IPv4 address is one sender, an IPv6 /64 is one", () => {
  const { from, drain } = limited();
  drain("10.0.0.1");
  assert.ok(from("::ffff:10.0.0.1") > 0);
  assert.equal(from("10.0.0.2"), 0);
  drain("2001:db8:1:2::1");
  assert.ok(from("2001:db8:1:2:ffff:ffff:ffff:ffff") > 0);
  assert.ok(from("2001:0db8:1:2::") > 0);
  assert.equal(from("2001:db8:1:3::1"), 0);
  drain("2001:db8::7");
  assert.ok(from("2001:db8:0:0:1::") > 0);
});

test("behind a proxy on this host the sender is the last forwarded address", () => {
  const { from, drain } = limited();
  drain("127.0.0.1", "10.9.9.9, 10.0.0.1");
  assert.ok(from("::1", "10.0.0.1") > 0);
  assert.ok(from("::ffff:127.0.0.1", "10.8.8.8,10.0.0.1") > 0);
  assert.equal(from("127.0.0.1", "10.0.0.1, 10.0.0.2"), 0);
  assert.equal(from("127.0.0.1"), 0);
  drain("10.0.0.3", "10.0.0.4");
  assert.ok(from("10.0.0.3", "10.0.0.5") > 0);
});

test("the key of addresses is renewed every ten minutes", () => {
  const { at, from } = limited();
  from("10.0.0.1");
  at.now_ms += 10 * MINUTE_MS - 1;
  from("10.0.0.1");
  assert.equal(at.keys, 1);
  at.now_ms += 1;
  from("10.0.0.1");
  assert.equal(at.keys, 2);
});

test("the sender that was not heard of the longest is forgotten first", () => {
  const { as } = limited();
  for (const agent of ["old", "old", "kept", "kept"]) as(agent);
  for (let i = 0; i < BUCKETS_MAX - 2; i++) as(`agent ${i}`);
  assert.ok(as("kept") > 0);
  as("one more");
  as("two more");
  assert.ok(as("kept") > 0);
  assert.equal(as("old"), 0);
});
