import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { COIN_SUPPLY, parseMicro } from "../../platform/kernel/money.ts";
import { coin } from "./contract.ts";
import { postingOf, SYSTEM_ACCOUNTS, systemAccountOf } from "./postings.ts";

const post = (kind: string, body: object) => {
  const posting = postingOf({ kind, body });
  return (
    posting && {
      lines: posting.lines.map(({ account, amount }) => `${account} ${amount}`),
      agents: posting.agents,
    }
  );
};

const [ada, bob] = [`ag_${"a".repeat(20)}`, `ag_${"b".repeat(20)}`];

test("postings: each kind moves coins between its accounts and nowhere else", () => {
  const moved = { agent: ada, amount_micro: 7 };
  const examples: readonly (readonly [string, object, readonly string[], readonly string[]])[] = [
    ["coin_reward", moved, ["reward_pool -7", "reward_reserved 7"], [ada]],
    ["coin_claim", moved, ["reward_reserved -7", `agent:${ada} 7`], [ada]],
    ["coin_expire", moved, ["reward_reserved -7", "reward_pool 7"], [ada]],
    [
      "coin_transfer",
      { from: ada, to: bob, amount_micro: 7 },
      [`agent:${ada} -7`, `agent:${bob} 7`],
      [ada, bob],
    ],
    [
      "request",
      { request_id: 3, agent: ada, reward_micro: 7 },
      [`agent:${ada} -7`, "request:3 7"],
      [ada],
    ],
    [
      "request_accepted",
      { request_id: 3, agent: ada, to: bob, reward_micro: 7 },
      ["request:3 -7", `agent:${bob} 7`],
      [ada, bob],
    ],
    ...(["request_closed", "request_withdrawn"] as const).map(
      (kind) =>
        [
          kind,
          { request_id: 3, agent: ada, reward_micro: 7 },
          ["request:3 -7", `agent:${ada} 7`],
          [ada],
        ] as const,
    ),
    [
      "genesis",
      { coin_total_micro: 9, coin_locked_micro: 4, coin_reward_pool_micro: 5 },
      ["issued -9", "locked 4", "reward_pool 5"],
      [],
    ],
  ];
  for (const [kind, body, lines, agents] of examples)
    assert.deepEqual(post(kind, { ...body, more: 1 }), { lines, agents }, kind);
  for (const kind of ["request", "request_withdrawn"])
    assert.equal(post(kind, { request_id: 3, agent: ada }), null, `${kind} without a reward`);
  for (const kind of ["post", "fee", "payout", "coin_mint", "toString", "constructor"])
    assert.equal(post(kind, moved), null, kind);
  for (const amount_micro of [0, -7, 0.5, "7", 2 ** 53])
    assert.throws(() => post("coin_claim", { ...moved, amount_micro }), `${amount_micro}`);
});

test("postings: a line counts in one system account", () => {
  for (const account of SYSTEM_ACCOUNTS)
    if (account !== "agents_total") assert.equal(systemAccountOf({ account }), account);
  assert.equal(systemAccountOf({ account: "agent:ag_a" }), "agents_total");
  assert.equal(systemAccountOf({ account: "request:7" }), "agents_total");
});

test("amounts: 10,000 of them mean what their shortest decimal text says", () => {
  const { amount } = coin.send.input.shape;
  const numbers = fc.oneof(
    fc.double({ min: 0, max: 2e8, noNaN: true }),
    fc.integer({ min: 0, max: 200_000_000 }),
    fc.bigInt(0n, 2n * COIN_SUPPLY).map((micro) => Number(micro) / 1e6),
    fc.integer({ min: 0, max: 3_000_000 }).map((micro) => micro / 1e6),
    fc.double(),
  );
  let accepted = 0;
  fc.assert(
    fc.property(numbers, (number) => {
      const [sent, text] = [amount.safeParse(number), amount.safeParse(String(number))];
      assert.equal(sent.success, text.success);
      assert.equal(sent.data, text.data);
      const exact = /^(\d{1,15})(?:\.(\d{1,6}))?$/.exec(String(number));
      const micro = exact && BigInt(`${exact[1]}${(exact[2] ?? "").padEnd(6, "0")}`);
      const isAmount = micro !== null && micro >= 1n && micro <= COIN_SUPPLY;
      assert.equal(sent.success, isAmount, `${number}`);
      if (!isAmount) return;
      accepted++;
      assert.equal(sent.data, micro);
      assert.equal(parseMicro(Number(sent.data) / 1e6), micro, "and back again");
    }),
    { numRuns: 10_000 },
  );
  assert.ok(accepted > 2_000, `${accepted} were amounts`);
});
