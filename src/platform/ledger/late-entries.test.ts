import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { detail, newPair, setKey } from "../../../test/act-keys.ts";
import { findingsOf, readLedger } from "../../../test/invariants.ts";
import { eachEngine, type TestAgent, type TestService } from "../../../test/service.ts";
import * as apps from "../../domains/apps/entries.ts";
import * as coin from "../../domains/coin/entries.ts";
import * as identity from "../../domains/identity/entries.ts";
import { keyText } from "../../domains/identity/keys/act-rule.ts";
import { rows } from "../../domains/identity/rows.ts";
import { authenticator } from "../../domains/identity/tokens.ts";
import { openRequest } from "../../domains/requests/intake.ts";
import { replayLedger } from "../../domains/transitions.ts";
import type { Store } from "../db/engine.ts";
import { type Body, type EntryKind, refIn } from "../kernel/contract/entry-kind.ts";
import { PROTOCOL_VERSION } from "../kernel/contract/protocol.ts";
import { COIN_LOCKED, COIN_SUPPLY } from "../kernel/money.ts";
import { DAY_S, days, HOUR_S, type Seconds } from "../kernel/time.ts";
import * as kinds from "./entries.ts";
import { COUNTED_BEYOND } from "./ledger.ts";
import { PLATFORM } from "./platform.ts";
import type { ReplayedEntry } from "./replay.ts";
import { enactSurely } from "./rows/enact.ts";

// What a dishonest operator can date back by a ledger_resumed, and what an honest one places late.

const BEGUN: Seconds = 1_800_000_000;
const HASH = "a".repeat(64);
const [ADA, BOB] = ["ag_7swrwwh55l25xcrn2r3j", "ag_7q7j5effglbjjowqhc5k"] as const;

const BEYOND = COUNTED_BEYOND.sentence;
const IN_TIME = "It got its place before it was made, or more than 300 seconds after.";
const TODAY = "An agent earns 10 rewards a UTC day.";
const NOT_LOST =
  "Your lost key can be replaced when its time has passed since its entry got its place.";

/** A ledger that somebody writes by hand. */
function writing() {
  const entries: ReplayedEntry[] = [];
  let at = BEGUN;
  let count = 0;
  const add = <Ref extends string, F extends EntryKind["fields"]>(
    kind: EntryKind<Ref, F>,
    fields: Body<F>,
  ) => {
    const body = JSON.parse(JSON.stringify(fields));
    const ref = refIn(kind, body) ?? assert.fail(kind.kind);
    entries.push({ id: entries.length + 1, at, kind: kind.kind, ref, body });
  };
  const ledger = {
    entries,
    add,
    now: () => at,
    pass(seconds: Seconds): void {
      at += seconds;
    },
    /** An entry that says nothing of its time, and an act that earns. */
    act: (agent: string = ADA): string => {
      const app_id = ++count;
      add(apps.app, { app_id, agent, name_sha256: HASH, description_sha256: HASH });
      return `app/${app_id}`;
    },
    /** The service runs for so long. */
    run(seconds: Seconds) {
      for (let passed = 0; passed < seconds; passed += HOUR_S) {
        ledger.pass(HOUR_S);
        ledger.act(BOB);
      }
    },
    resume: (waited: number) =>
      add(kinds.ledgerResumed, { after_id: entries.length, count: waited }),
    /** A reward and its act. */
    reward(granted_at: Seconds): number {
      const [entitlement_id, source] = [count + 1, ledger.act()];
      const terms = { matures_at: granted_at + days(20), expires_at: granted_at + days(40) };
      const paid = { amount_micro: 100_000, why: "app", source } as const;
      add(coin.coinReward, { entitlement_id, agent: ADA, ...paid, granted_at, ...terms });
      return entitlement_id;
    },
    claim(id: number, made_at: Seconds) {
      const sum = { amount_micro: 100_000, count: 1, entitlements: `${id}` };
      add(coin.coinClaim, { coin_claim_id: ++count, agent: ADA, ...sum, made_at });
    },
  };
  add(kinds.genesis, {
    ...{ origin: "test.example/network", protocol_version: PROTOCOL_VERSION, rules: 1 },
    coin_total_micro: Number(COIN_SUPPLY),
    coin_locked_micro: Number(COIN_LOCKED),
    coin_reward_pool_micro: Number(COIN_SUPPLY - COIN_LOCKED),
  });
  for (const agent of [ADA, BOB]) add(identity.agent, { agent });
  return ledger;
}

type Ledger = ReturnType<typeof writing>;

function sentencesIn({ entries }: Ledger): readonly string[] {
  const replay = replayLedger(PLATFORM);
  for (const entry of entries) replay.add(entry);
  return replay.findings().map(({ sentence }) => sentence);
}

/** Gives Ada a key that may be lost, and says that it is: `made_at` and the key that takes its place. */
function keyed(ledger: Ledger) {
  const replay = replayLedger(PLATFORM);
  for (const entry of ledger.entries) replay.add(entry);
  const { state } = replay;
  const [own, other] = [newPair(), newPair()];
  const given = { agent: ADA, recover_s: days(7), signature_old: undefined };
  const introduce = (n: number, pair: typeof own) => {
    const [pubkey, not_after, made_at] = [pair.pubkey, ledger.now() + 600, ledger.now()];
    const key = { ...given, n, act: n, pubkey, not_after };
    const signature = pair.sign(keyText(state, key));
    ledger.add(identity.agentKey, { ...key, signature, made_at });
  };
  introduce(1, own);
  return {
    lose: (made_at: Seconds) =>
      ledger.add(identity.agentKeyLost, {
        ...{ agent: ADA, attempt: 1, pubkey: other.pubkey, made_at },
        takes_effect_at: made_at + days(7),
      }),
    replace: () => introduce(2, other),
  };
}

type History = readonly [name: string, write: (ledger: Ledger) => void];

const FORGERIES: readonly (readonly [...History, refused: readonly string[]])[] = [
  [
    "a count beyond what had waited",
    (ledger) => {
      ledger.run(3 * HOUR_S);
      ledger.resume(1_000_000);
      ledger.act();
      ledger.pass(1);
      ledger.act();
      ledger.pass(HOUR_S);
      ledger.reward(ledger.now());
    },
    [BEYOND],
  ],
  [
    "another ledger_resumed among what had waited",
    (ledger) => {
      ledger.run(3 * HOUR_S);
      ledger.resume(10);
      ledger.act();
      ledger.resume(1);
      ledger.act();
    },
    [BEYOND],
  ],
  [
    "a reward that is dated back behind a count that goes on",
    (ledger) => {
      ledger.run(30 * HOUR_S);
      ledger.resume(1_000_000);
      ledger.act();
      ledger.run(2 * HOUR_S);
      ledger.reward(ledger.now() - 30 * HOUR_S);
    },
    [BEYOND, IN_TIME],
  ],
  [
    "a reward of thirty hours ago while the service ran",
    (ledger) => {
      ledger.run(40 * HOUR_S);
      ledger.resume(2);
      ledger.reward(ledger.now() - 30 * HOUR_S);
    },
    [IN_TIME],
  ],
  [
    "a reward that has expired, collected as if in time",
    (ledger) => {
      const id = ledger.reward(ledger.now());
      ledger.run(days(41));
      ledger.resume(1);
      ledger.claim(id, ledger.now() - days(2));
    },
    [IN_TIME],
  ],
  [
    "twenty rewards of one day that have waited in two runs",
    (ledger) => {
      const day = ledger.now() - (ledger.now() % DAY_S) + days(1) + HOUR_S;
      ledger.pass(days(4));
      for (const _ of [1, 2]) {
        ledger.resume(22);
        for (let n = 0; n < 10; n++) ledger.reward(day);
        ledger.reward(ledger.now() - HOUR_S);
        ledger.pass(60);
      }
    },
    Array.from({ length: 10 }, () => TODAY),
  ],
  [
    "runs that never end",
    (ledger) => {
      const silent_at = ledger.now();
      ledger.pass(days(3));
      for (let n = 0; n < 5; n++) {
        ledger.resume(2);
        ledger.reward(silent_at + HOUR_S + n);
        ledger.pass(1_000);
      }
    },
    [IN_TIME],
  ],
  [
    "an entry from before the silence",
    (ledger) => {
      ledger.run(2 * HOUR_S);
      const silent_at = ledger.now();
      ledger.pass(days(1));
      ledger.resume(2);
      ledger.reward(silent_at - 361);
    },
    [IN_TIME],
  ],
  [
    "a lost key that is taken over at once, as if its time had passed in the silence",
    (ledger) => {
      const key = keyed(ledger);
      const silent_at = ledger.now();
      ledger.pass(days(8));
      ledger.resume(1);
      key.lose(silent_at + 60);
      ledger.pass(1);
      key.replace();
    },
    [NOT_LOST],
  ],
];

for (const [name, forge, refused] of FORGERIES)
  test(`found: ${name}`, () => {
    const ledger = writing();
    forge(ledger);
    assert.deepEqual(sentencesIn(ledger), refused);
  });

const HONEST: readonly History[] = [
  [
    "an outage of three days",
    (ledger) => {
      ledger.run(3 * HOUR_S);
      const silent_at = ledger.now();
      ledger.pass(days(3));
      ledger.resume(4);
      ledger.reward(silent_at + 200);
      ledger.reward(silent_at - 240);
      ledger.run(3 * HOUR_S);
    },
  ],
  [
    "a backlog of several transactions, and an entry that waited from before it on another node",
    (ledger) => {
      ledger.run(3 * HOUR_S);
      const silent_at = ledger.now();
      ledger.pass(days(3));
      for (const wait_s of [200, 100, -360]) {
        ledger.resume(2);
        ledger.reward(silent_at + wait_s);
        ledger.pass(500);
      }
      ledger.reward(ledger.now());
    },
  ],
  [
    "two nodes with clocks 60 seconds apart, and 302 seconds of lateness",
    (ledger) => {
      ledger.run(3 * HOUR_S);
      const [ahead, behind] = [ledger.now(), ledger.now() - 60];
      ledger.pass(2);
      ledger.resume(4);
      ledger.reward(ahead + 2 - 302);
      ledger.reward(behind + 2 - 302 + 2);
    },
  ],
  [
    "the end of a file among what had waited",
    (ledger) => {
      ledger.resume(9);
      ledger.act();
    },
  ],
  [
    "a lost key that is replaced when its time since the place of its entry is over",
    (ledger) => {
      const key = keyed(ledger);
      const silent_at = ledger.now();
      ledger.pass(days(8));
      ledger.resume(1);
      key.lose(silent_at + 60);
      ledger.run(days(7));
      key.replace();
    },
  ],
];

for (const [name, write] of HONEST)
  test(`allowed: ${name}`, () => {
    const ledger = writing();
    write(ledger);
    assert.deepEqual(sentencesIn(ledger), []);
  });

const resumptionsOf = async (service: TestService) =>
  (await readLedger(service)).filter(({ kind }) => kind === kinds.ledgerResumed.kind);

/** An agent as its token shows it now. */
const holder = ({ service: { context, store } }: TestService, { token }: TestAgent) =>
  authenticator({ ...context, generation: store.generation }).authenticate(token);

const ASKED = { text: "Add.", ends: "accepted" } as const;

// The invariants after each test ask the rules, too.
for (const [pause_s, count] of [
  [300, 0],
  [302, 1],
  [360, 1],
] as const)
  eachEngine(`a process stands still for ${pause_s} s before a write ends`, async (service) => {
    const from = await holder(service, await service.register("ada"));
    const { context } = service.service;
    await service.sequenced();
    const write: Store["write"] = (body, kind) =>
      context.write(async (tx) => {
        const result = await body(tx);
        service.pass(pause_s);
        return result;
      }, kind);
    await openRequest({ ...context, write }, { from, ...ASKED });
    await openRequest(context, { from, ...ASKED });
    assert.deepEqual(await findingsOf(service), []);
    assert.equal((await resumptionsOf(service)).length, count);
  });

eachEngine("a write is 302 s behind another one of its batch", async (service) => {
  const from = await holder(service, await service.register("ada"));
  const { context } = service.service;
  await service.sequenced();
  const gate = Promise.withResolvers<void>();
  const before = context.write(() => gate.promise);
  let waiting = 0;
  const delayed =
    (seconds: number): Store["write"] =>
    (body, kind) => {
      waiting += 1;
      return context.write((tx) => {
        service.pass(seconds);
        return body(tx);
      }, kind);
    };
  const both = [0, 302].map((seconds) =>
    openRequest({ ...context, write: delayed(seconds) }, { from, ...ASKED }),
  );
  while (waiting < both.length) await setImmediate();
  gate.resolve();
  await Promise.all([before, ...both]);
  assert.deepEqual(await findingsOf(service), []);
  if (service.engine === "sqlite") assert.equal((await resumptionsOf(service)).length, 1);
});

eachEngine("a lost key waits for its time since its entry has its place", async (service) => {
  const ada = await service.register("ada");
  const { context } = service.service;
  assert.equal((await setKey(ada, newPair(), { recover_s: days(7) })).status, 200);
  await service.sequenced();
  const agent = await holder(service, ada);
  const made_at = context.clock.now() + 60;
  service.pass(days(8));
  const other = newPair();
  const fields = { agent, attempt: 1, pubkey: other.pubkey, takes_effect_at: made_at + days(7) };
  await context.write((tx) => enactSurely(tx, rows.agentKeyLost, fields, made_at));
  await service.sequenced();
  assert.equal((await resumptionsOf(service)).length, 1);
  const placed_at = context.clock.now();
  service.pass(days(7) - 1);
  const early = await setKey(ada, other);
  assert.deepEqual(
    [early.status, early.body.error, detail(early, "takes_effect_at")],
    [409, "key_pending", `${placed_at + days(7)}`],
  );
  service.pass(1);
  assert.equal((await setKey(ada, other)).status, 200);
});
