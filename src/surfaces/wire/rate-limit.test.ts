import assert from "node:assert/strict";
import { test } from "node:test";
import { limited } from "../../../test/rate-limit.ts";
import type { Agent } from "../../platform/context.ts";
import { BUCKETS_MAX } from "./buckets.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A limit of two a minute for an agent and four for a network, on a clock that the test moves. */
function network() {
  const at = { now_ms: 0 };
  const { rateLimit, buckets, counts } = limited(2, () => at.now_ms);
  const sender = (name: string, site: string | null = null, earlier: string | null = null) => ({
    network: name,
    site,
    earlier: earlier === null ? null : { network: earlier, site },
  });
  const agent = (agent_id: string, newcomer_until?: number): Agent =>
    newcomer_until === undefined
      ? { id: 1, agent_id, handle: null }
      : { id: 1, agent_id, handle: null, newcomer_until };
  const as = (agent_id: string) => rateLimit.admit(agent(agent_id), null);
  const from = (...names: Parameters<typeof sender>) => rateLimit.admit(null, sender(...names));
  return { ...rateLimit, at, buckets, counts, sender, agent, as, from };
}

const times = <T>(n: number, ask: () => T): T[] => Array.from({ length: n }, ask);
const passed = (waits: readonly number[]) => waits.filter((wait_s) => wait_s === 0).length;

test("a bucket fills again with time, up to what a minute allows", () => {
  const { at, as } = network();
  assert.deepEqual([as("a"), as("a"), as("a"), as("b")], [0, 0, 30, 0]);
  at.now_ms += 10_000;
  assert.equal(as("a"), 20);
  at.now_ms += 20_000;
  assert.deepEqual([as("a"), as("a")], [0, 30]);
  at.now_ms += 5 * MINUTE_MS;
  assert.deepEqual([as("a"), as("a"), as("a")], [0, 0, 30]);
});

test("forty agents of one network together may do what the network may", () => {
  const { admit, agent, sender, counts } = network();
  const waits = times(40, () => 0).flatMap((_, i) =>
    times(10, () => admit(agent(`agent ${i}`), sender("one"))),
  );
  assert.equal(passed(waits), 4);
  assert.equal(counts.refused, 396);
  assert.equal(admit(agent("agent 9"), sender("another")), 0, "what was refused cost nothing");
});

test("a network that is used up stops newcomers and nobody else", () => {
  const { at, admit, agent, sender, from } = network();
  times(4, () => from("one"));
  assert.ok(admit(agent("new"), sender("one")) > 0);
  assert.ok(admit(agent("young", 7), sender("one")) > 0);
  assert.equal(admit(agent("known", 0), sender("one")), 0);
  assert.equal(admit(agent("known", 0), sender("one")), 0);
  assert.equal(admit(agent("known", 0), sender("one")), 30, "its own allowance holds");
  at.now_ms += 7_000;
  assert.equal(admit(agent("young", 8), sender("one")), 8);
  assert.equal(admit(agent("young", 7), sender("one")), 0);
});

test("a 401 without a token costs five, and wrong tokens drain a bucket of their own", () => {
  const { at, unauthorized, sender, from } = network();
  assert.equal(from("one"), 0);
  assert.equal(unauthorized(sender("one"), "nothing"), 0);
  assert.equal(from("one"), 30, "four of four were taken, and one more is owed");
  at.now_ms += HOUR_MS;
  const guess = () => from("one") || unauthorized(sender("one"), "token");
  assert.deepEqual(times(3, guess), [0, 30, 30]);
  assert.deepEqual(passed(times(9, () => from("one"))), 4, "the guesses took none of these");
});

test("an unknown sender is charged to nobody", () => {
  const { admit, unauthorized } = network();
  assert.equal(passed(times(100, () => admit(null, null))), 100);
  assert.equal(passed(times(100, () => unauthorized(null, "token"))), 100);
});

test("a /48 may do four times what a /64 may", () => {
  const { from } = network();
  const waits = times(10, () => 0).flatMap((_, i) => times(4, () => from(`net ${i}`, "site")));
  assert.equal(passed(waits), 16);
  assert.equal(from("net 9", "elsewhere"), 0, "the refused ones were given back");
});

test("a new name takes over what the old one had used up", () => {
  const { from } = network();
  times(4, () => from("old"));
  assert.ok(from("new", null, "old") > 0);
  assert.equal(from("old"), 0, "the old name has no bucket any more");
});

test("charges of other processes count here, and a debt is one allowance at most", () => {
  const [one, other] = [network(), network()];
  times(3, () => one.from("one"));
  times(3, () => other.from("one"));
  assert.deepEqual(one.buckets.unreported(), [["one", "request", 3]]);
  assert.deepEqual(one.buckets.unreported(), []);
  one.buckets.hear(other.buckets.unreported());
  assert.ok(one.from("one") > 0);
  one.buckets.hear([["one", "request", 1_000]]);
  assert.equal(one.from("one"), 75);
});

test("the sender that was not heard of the longest is forgotten first, and that is told", () => {
  const { at, as, counts } = network();
  for (const agent of ["old", "old", "kept", "kept"]) as(agent);
  for (let i = 0; i < BUCKETS_MAX - 2; i++) as(`agent ${i}`);
  assert.ok(as("kept") > 0);
  assert.equal(counts.full, 0);
  as("one more");
  as("two more");
  assert.equal(counts.full, 2);
  assert.ok(as("kept") > 0);
  at.now_ms += 2 * MINUTE_MS;
  as("three more");
  assert.equal(counts.full, 2, "a full bucket is no loss");
});
