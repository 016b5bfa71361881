import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { begunHistory, type History } from "../../../test/history.ts";
import { replayLedger } from "../../domains/transitions.ts";
import { BROKEN, rulesExit, rulesFound, UNKNOWN_RULES } from "../../verify/rules.ts";
import { DAY_S, days } from "../kernel/time.ts";
import { PLATFORM } from "./platform.ts";
import { RULES } from "./rules.ts";

// What an operator can forge under rules that no program knows yet, and what an honest newer version writes.

const [ADA, BOB] = ["ag_7swrwwh55l25xcrn2r3j", "ag_7q7j5effglbjjowqhc5k"] as const;
const HASH = "a".repeat(64);
const NEXT = RULES + 1;
const COIN = 1_000_000;

const app = (history: History, app_id: number) =>
  history.add("app", { app_id, agent: ADA, name_sha256: HASH, description_sha256: HASH });

function reward(history: History, n: number, source: string, amount_micro = 100_000): History {
  const granted_at = history.now;
  const terms = { matures_at: granted_at + days(20), expires_at: granted_at + days(40) };
  const of = { entitlement_id: n, agent: ADA, amount_micro, why: "app", source };
  return history.add("coin_reward", { ...of, granted_at, ...terms });
}

const claim = (history: History, n: number, ids: string, amount_micro: number) =>
  history.add("coin_claim", {
    ...{ coin_claim_id: n, agent: ADA, amount_micro },
    ...{ count: ids.split(",").length, entitlements: ids },
  });

const send = (history: History, n: number, amount_micro: number) =>
  history.add("coin_transfer", { transfer_id: n, from: ADA, to: BOB, amount_micro });

/** A ledger in which Ada has 0.1 coin, under the next rules from its last entry on. */
function adopted(): History {
  const history = begunHistory([ADA, BOB]);
  app(history, 1);
  reward(history, 1, "app/1");
  for (let day = 0; day < 21; day++) app(history.pass(DAY_S), 10 + day);
  claim(history, 1, "1", 100_000);
  return history.add("rules_adopted", { rules: NEXT });
}

/** An entry as a newer version may write it, of which this one has no record. */
function foreign(history: History, kind: string, body: Record<string, string | number>): History {
  const id = history.entries.length + 1;
  history.entries.push({ id, at: history.now, kind, ref: `new/${id}`, body });
  return history;
}

const ask = (history: History, request_id: number, reward_micro: number) =>
  history.add("request", {
    ...{ request_id, agent: ADA, text_sha256: HASH, ends: "accepted", reward_micro },
    closes_at: history.now + days(1),
  });

/** The findings, and the exit code of an audit: `LATER` before a sentence that later rules may allow. */
const LATER = `rules ${NEXT}: `;
function audited({ entries }: History) {
  const replay = replayLedger(PLATFORM);
  for (const entry of entries) replay.add(entry);
  const found = replay.findings().map(({ kind, sentence, later }) => {
    assert.ok(later === null || later > RULES);
    return `${later === null ? "" : `rules ${later}: `}${kind}: ${sentence}`;
  });
  const { breaches, unknown } = rulesFound(replay);
  return { found, exit_code: rulesExit(breaches, unknown), unknown };
}

const NO_ACT =
  "coin_reward: No entry before it says that the agent has done this, or it has earned already.";
const POOL = "coin_reward: The reward pool is empty.";
const OWN = "coin_claim: Each entitlement is the agent's own, rising, and collected once.";
const SUM = "coin_claim: A claim is the count and the sum of its entitlements.";
const LIVE = "coin_expire: Only a reward that was granted and not collected expires, whole.";
const SHORT =
  "coin_transfer: Your balance is lower than the amount; pending and matured entitlements do not count.";
const POOR = "request: Your balance is lower than the reward.";
const WHOLE = "request_withdrawn: The whole reward goes back to the asker.";
const LOWER = "rules_adopted: Rules are adopted once, and later ones only.";
const TWICE = "There is such an entry already.";
const DENSE = "Ids are dense, and times never fall.";
const POEM = { lines: 3 };

/** Each forgery after the adoption, with the sentences that it must get. */
const FORGED: readonly (readonly [
  name: string,
  forge: (history: History) => unknown,
  found: readonly string[],
])[] = [
  [
    "49,000,000 coins for an app that does not exist",
    (h) => claim(reward(h, 17, "app/9090", 49_000_000 * COIN), 90, "17", 49_000_000 * COIN),
    [`${LATER}${NO_ACT}`, `${LATER}coin_claim: An entitlement has not matured.`],
  ],
  ["more than the pool has", (h) => reward(h, 17, "app/1", 51_000_000 * COIN), [POOL]],
  ["a reward collected again", (h) => claim(h, 2, "1", 100_000), [OWN]],
  [
    "a reward collected twice at once",
    (h) => {
      app(h, 99);
      claim(reward(h, 17, "app/99"), 2, "17,17", 200_000);
    },
    [OWN],
  ],
  ["a reward that nobody granted", (h) => claim(h, 2, "77", 100_000), [OWN]],
  [
    "more than was granted",
    (h) => {
      app(h, 99);
      claim(reward(h, 17, "app/99"), 2, "17", 200_000);
    },
    [SUM],
  ],
  [
    "an expiry of what was collected",
    (h) => h.add("coin_expire", { entitlement_id: 1, agent: ADA, amount_micro: 100_000 }),
    [LIVE],
  ],
  ["a balance below 0", (h) => send(h, 1, 100_001), [SHORT]],
  ["a request with more than its asker has", (h) => ask(h, 1, 100_001), [POOR]],
  [
    "a request that gives back what it does not hold",
    (h) =>
      ask(h, 1, 50_000).add("request_withdrawn", {
        ...{ request_id: 1, by: "asker", agent: ADA, reward_micro: 60_000 },
      }),
    [WHOLE],
  ],
  [
    "a request that gives back twice",
    (h) => {
      const body = { request_id: 1, agent: ADA, reward_micro: 50_000 };
      ask(h, 1, 50_000).add("request_withdrawn", { ...body, by: "asker" });
      h.add("request_closed", body);
    },
    ["request_closed: The whole reward goes back to the asker."],
  ],
  [
    "an answer that is paid without a request",
    (h) =>
      h.add("request_accepted", {
        ...{ request_id: 7, answer_id: 1, agent: ADA, to: BOB, by: "asker", reward_micro: COIN },
      }),
    ["request_accepted: The whole reward goes to the agent of the answer."],
  ],
  [
    "the known rules again",
    (h) => reward(h.add("rules_adopted", { rules: RULES }), 17, "app/9090"),
    [LOWER, `${LATER}${NO_ACT}`],
  ],
  [
    "an entry twice",
    (h) => {
      h.add("agent", { agent: BOB });
    },
    [`agent: ${TWICE}`],
  ],
  [
    "a place that is left out",
    (h) => {
      foreign(h, "heartbeat", {});
      const last = h.entries.pop();
      if (last !== undefined) h.entries.push({ ...last, id: last.id + 1 });
    },
    [`heartbeat: ${DENSE}`],
  ],
  [
    "a field that its kind has not",
    (h) => foreign(h, "app", { colour: "red" }),
    [`${LATER}app: No app has such a field, or lacks it: colour.`],
  ],
  [
    "coins out of nothing behind an entry of an unknown kind",
    (h) => send(foreign(h, "poem", POEM), 1, 100_001),
    [`${LATER}${SHORT}`],
  ],
];

describe("under rules that this program does not know", () => {
  it("nothing is found where they forbid what is forbidden here, and the code is of its own", () => {
    const { found, exit_code, unknown } = audited(send(adopted(), 1, 100_000));
    assert.deepEqual([found, exit_code], [[], UNKNOWN_RULES]);
    const { rules, entries, rules_from, opaque_from } = unknown;
    assert.deepEqual([rules, entries, opaque_from], [NEXT, 1, null]);
    assert.equal(rules_from, adopted().entries.length + 1);
  });

  it("their adoption alone is not allowed in silence", () => {
    const { found, exit_code, unknown } = audited(adopted());
    assert.deepEqual([found, exit_code, unknown.entries], [[], UNKNOWN_RULES, 0]);
  });

  for (const [name, forge, expected] of FORGED)
    it(`${name} is refused`, () => {
      const history = adopted();
      forge(history);
      const { found, exit_code } = audited(history);
      assert.deepEqual(found, expected);
      const isBroken = expected.some((sentence) => !sentence.startsWith(LATER));
      assert.equal(exit_code, isBroken ? BROKEN : UNKNOWN_RULES);
    });

  it("an entry that was broken before them stays broken, and so does a neglected duty", () => {
    const history = begunHistory([ADA, BOB]);
    reward(history, 1, "app/9090");
    history.live(44);
    history.add("rules_adopted", { rules: NEXT });
    const { found, exit_code } = audited(history);
    assert.deepEqual(found, [NO_ACT, "entitlement: The reward expired, and no entry says so."]);
    assert.equal(exit_code, BROKEN);
  });

  it("a duty under them is not known", () => {
    const history = begunHistory([ADA]);
    app(history, 1);
    reward(history, 1, "app/1");
    history.add("rules_adopted", { rules: NEXT });
    history.live(44);
    const { found, exit_code } = audited(history);
    assert.deepEqual(found, [`${LATER}entitlement: The reward expired, and no entry says so.`]);
    assert.equal(exit_code, UNKNOWN_RULES);
  });

  it("a ledger that begins with them is one of them", () => {
    const history = begunHistory([ADA]);
    const [genesis, ...rest] = history.entries;
    assert.ok(genesis);
    history.entries.splice(0, 1, { ...genesis, body: { ...genesis.body, rules: NEXT } });
    const { found, exit_code, unknown } = audited(history);
    assert.deepEqual([found, exit_code, unknown.entries], [[], UNKNOWN_RULES, rest.length]);
  });

  it("kinds that are not known are counted, by their names", () => {
    const history = adopted();
    for (let n = 0; n < 3; n++) foreign(history, "poem", POEM);
    const { exit_code, unknown } = audited(foreign(history, "song", POEM));
    assert.deepEqual(
      [...unknown.kinds],
      [
        ["poem", 3],
        ["song", 1],
      ],
    );
    assert.equal(exit_code, UNKNOWN_RULES);
    assert.equal(audited(foreign(begunHistory([]), "poem", POEM)).exit_code, UNKNOWN_RULES);
    for (let n = 0; n < 500; n++) foreign(history, `kind${n}`, {});
    assert.equal(audited(history).unknown.kinds.size, 101);
  });
});
