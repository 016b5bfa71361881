import assert from "node:assert/strict";
import { ENTRY_KINDS } from "../src/domains/entries.ts";
import { replayLedger } from "../src/domains/transitions.ts";
import { refIn } from "../src/platform/kernel/contract/entry-kind.ts";
import { COIN_LOCKED, COIN_SUPPLY } from "../src/platform/kernel/money.ts";
import { DAY_S } from "../src/platform/kernel/time.ts";
import { PLATFORM } from "../src/platform/ledger/platform.ts";
import type { ReplayedEntry } from "../src/platform/ledger/replay.ts";
import { RULES } from "../src/platform/ledger/rules.ts";

export type Body = Record<string, string | number | undefined>;

const KINDS = new Map(ENTRY_KINDS.map((each) => [each.kind, each]));

/** A ledger that goes on as somebody writes it who has the service's key: the chain over it would verify. */
export class History {
  readonly entries: ReplayedEntry[];
  now: number;

  constructor(entries: readonly ReplayedEntry[]) {
    this.entries = [...entries];
    this.now = entries.at(-1)?.at ?? 0;
  }

  pass(seconds: number): this {
    this.now += seconds;
    return this;
  }

  /** An entry that says that it was made now. */
  add(kind: string, body: Body, ref?: string): this {
    const record = KINDS.get(kind);
    assert.ok(record);
    const timed = "made_at" in record.fields ? { ...body, made_at: this.now } : body;
    const whole = JSON.parse(JSON.stringify(timed));
    const id = this.entries.length + 1;
    const named = ref ?? refIn(record, whole) ?? assert.fail(kind);
    this.entries.push({ id, at: this.now, kind, ref: named, body: whole });
    return this;
  }

  /** Days in which the service does nothing but live. */
  live(count: number): this {
    for (let n = 0; n < count; n++)
      this.pass(DAY_S + 1).add("heartbeat", { after_id: this.entries.length });
    return this;
  }

  /** The leaf of the first entry. */
  get genesis(): string {
    const replay = replayLedger(PLATFORM);
    for (const entry of this.entries.slice(0, 1)) replay.add(entry);
    return replay.state.genesis;
  }

  /** The sentences that refuse it. */
  refused(): readonly string[] {
    const replay = replayLedger(PLATFORM);
    for (const entry of this.entries) replay.add(entry);
    return replay.findings().map(({ kind, sentence }) => `${kind}: ${sentence}`);
  }

  /** The claims that have to be believed, with their number. */
  words(): Readonly<Record<string, number>> {
    const replay = replayLedger(PLATFORM);
    for (const entry of this.entries) replay.add(entry);
    return Object.fromEntries(replay.words());
  }
}

/** A ledger with its first entry, and agents. */
export function begunHistory(agents: readonly string[], changed: Body = {}): History {
  const history = new History([]).pass(1_800_000_000).add(
    "genesis",
    {
      origin: "test.example/network",
      protocol_version: 1,
      coin_total_micro: Number(COIN_SUPPLY),
      coin_locked_micro: Number(COIN_LOCKED),
      coin_reward_pool_micro: Number(COIN_SUPPLY - COIN_LOCKED),
      rules: RULES,
      ...changed,
    },
    "1",
  );
  for (const agent of agents) history.add("agent", { agent });
  return history;
}
