import assert from "node:assert/strict";
import { test } from "node:test";
import { bannedAgent } from "../src/domains/identity/ledger.ts";
import { replayLedger, TRANSITIONS } from "../src/domains/transitions.ts";
import { PLATFORM } from "../src/platform/ledger/platform.ts";
import type { Forged } from "./clauses/begun.ts";
import { coins } from "./clauses/coins.ts";
import { network } from "./clauses/network.ts";
import { orders } from "./clauses/orders.ts";
import { work } from "./clauses/work.ts";

// A fault in a rule is invisible to a replay that has the same one. So each clause that no agent can be answered with
// has a forged entry that it refuses, and nothing else as far as that can be: without the clause it would pass.

const FORGED: Forged = { ...network, ...work, ...coins, ...orders };

const CLAUSES = TRANSITIONS.flatMap(({ kind: { kind }, refuses }) =>
  Object.entries(refuses).map(([name, { code, sentence }]) => ({
    name: `${kind}.${name}`,
    said: `${kind}: ${sentence}`,
    hasCode: code !== undefined,
    isBan: code === bannedAgent.code,
  })),
);

/** Clauses that no entry can break, because something else refuses it first. */
const UNREACHABLE: Readonly<Record<string, readonly string[]>> = {
  "a second entry has the name of the first one": [
    "post_retracted.again",
    "file_purged.again",
    "offer_withdrawn.again",
    "payment_unmatched.twice",
    "text_erased.again",
  ],
  "the time in the entry is when it was made": ["payout_address.wait", "order.hour"],
};

/** Its forgery follows an entry that is refused as well: without one it cannot come to this. */
const AFTER_ANOTHER = "contribution_superseded.hash";

test("each clause without a code has a forgery, or cannot be broken", () => {
  const unreachable = new Set(Object.values(UNREACHABLE).flat());
  const left = CLAUSES.filter(({ name, hasCode }) => !hasCode && !(name in FORGED));
  assert.deepEqual(left.map(({ name }) => name).toSorted(), [...unreachable].toSorted());
});

// An agent that is banned never comes to a rule: its token is answered before.
test("each ban has a forgery", () => {
  const left = CLAUSES.filter(({ name, isBan }) => isBan && !(name in FORGED));
  assert.deepEqual(left, []);
});

test("no two clauses of a kind have the same sentence", () => {
  assert.equal(new Set(CLAUSES.map(({ said }) => said)).size, CLAUSES.length);
});

for (const [name, forge] of Object.entries(FORGED))
  test(`a forged entry gets the sentence of ${name}`, () => {
    const replay = replayLedger(PLATFORM);
    const found = forge().entries.map((entry) =>
      replay.add(entry).map(({ kind, sentence }) => `${kind}: ${sentence}`),
    );
    const clause = CLAUSES.find((each) => each.name === name);
    assert.deepEqual(found.pop(), [clause?.said]);
    assert.equal(found.flat().length, name === AFTER_ANOTHER ? 1 : 0, `${found.flat()}`);
  });
