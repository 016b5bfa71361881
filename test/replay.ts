import assert from "node:assert/strict";
import { channel } from "node:diagnostics_channel";
import { isDeepStrictEqual } from "node:util";
import { machine, type State } from "../src/domains/transitions.ts";
import { didAct } from "../src/platform/ledger/acts.ts";
import { DECIDED, type Decision } from "../src/platform/ledger/decide.ts";
import { PLATFORM } from "../src/platform/ledger/platform.ts";
import { type Finding, openReplay, type ReplayedEntry } from "../src/platform/ledger/replay.ts";
import { type AnyTransition, type Drafted, numberIn } from "../src/platform/ledger/transition.ts";
import { isInvented, isInventedUse } from "./invented-acts.ts";
import { isOfLedger, isStep, stepFacts } from "./order-facts.ts";

/** What the writers of this process decided on, by kind; a write that was undone leaves one without an entry. */
const decisions = new Map<string, Decision[]>();
channel(DECIDED).subscribe((decision) => {
  assert.ok(isDecision(decision));
  const { kind } = decision;
  decisions.set(kind, [...(decisions.get(kind) ?? []), structuredClone(decision)]);
});

const isDecision = (each: unknown): each is Decision =>
  typeof each === "object" && each !== null && "kind" in each && "before" in each && "body" in each;

/**
 * Values that a guarded statement decides on, and no rule for the writer; and when something was placed, which binds a
 * replay alone: its writer is bound at once.
 */
const GUARDED: Readonly<Record<string, readonly string[]>> = {
  agent: ["paused_at"],
  coin_transfer: ["balance"],
  request: ["balance"],
};

/** Decisions that were made on something else than what the replay sees before their entry. */
const unlike = new Map<string, readonly unknown[]>();

function compareDecision(kind: string, { ref, body }: Drafted, before: unknown): void {
  const all = (decisions.get(kind) ?? []).filter(
    (each) =>
      (each.n === undefined || each.n === numberIn(ref)) &&
      Object.entries(each.body).every(([name, is]) => body[name] === is) &&
      (!isStep(kind) || isOfLedger(Object(each.before).order, Object(before).order)),
  );
  // A look ahead of the write knows fewer fields. Two entries of one second can have the same.
  const most = Math.max(...all.map(fieldsIn));
  const pairs = all
    .filter((each) => fieldsIn(each) === most)
    .map((made) => factsOf(kind, made.before, before));
  const isAlike = pairs.some(([own, seen]) => isDeepStrictEqual(own, strictly(own, seen)));
  if (pairs.length > 0 && !isAlike) unlike.set(kind, pairs.at(-1) ?? []);
}

/**
 * What a replay sees, without the minute that it leaves to a ban which has ended: its writer knows. It must see each ban
 * that its writer has seen.
 */
function strictly(own: unknown, seen: unknown): unknown {
  const { taken } = Object(seen);
  if (Object(taken).mayBeBanned !== true || Object(own).taken?.mayBeBanned !== false) return seen;
  return { ...Object(seen), taken: { ...taken, mayBeBanned: taken.isBanned } };
}

/** What a writer decided on, and the same facts in a replay. */
const factsOf = (kind: string, own: unknown, seen: unknown): readonly [unknown, unknown] =>
  isStep(kind)
    ? stepFacts(Object(own), Object(seen))
    : [unguarded(kind, own), unguarded(kind, seen)];

const unguarded = (kind: string, before: unknown): object =>
  Object.fromEntries(
    Object.entries(Object(before)).filter(([name]) => GUARDED[kind]?.includes(name) !== true),
  );

const fieldsIn = ({ body }: Decision): number =>
  Object.values(body).filter((each) => each !== undefined).length;

/** Kinds whose rule has read something that the effect of their entry has changed. */
const changed = new Set<string>();

/** A transition of which it is seen that its rule reads values. */
function watched(each: AnyTransition<State>): AnyTransition<State> {
  let read: unknown;
  let copy: unknown;
  const effect =
    (happens: AnyTransition<State>["evolve"] | undefined) =>
    (state: State, entry: Drafted): void => {
      happens?.(state, entry);
      if (!isDeepStrictEqual(read, copy)) changed.add(each.kind.kind);
    };
  return {
    ...each,
    before(state, entry) {
      read = each.before(state, entry);
      copy = structuredClone(read);
      compareDecision(each.kind.kind, entry, copy);
      return read;
    },
    evolve: effect(each.evolve),
    proves: effect(each.proves),
  };
}

/** The ledger as a state machine whose rules are watched. */
const MACHINE = machine(PLATFORM);
const WATCHED = { ...MACHINE, transitions: MACHINE.transitions.map(watched) };

/**
 * The rules that entries break. Tests take two short cuts: an act that they have invented counts as done, and
 * the escrow account of an order as named, where the service of a test did not start with accounts.
 */
export function findingsIn(entries: readonly ReplayedEntry[]): readonly Finding[] {
  const replay = openReplay(WATCHED);
  const namesAccounts = entries.some(({ kind }) => kind === "own_account");
  for (const entry of entries) {
    const { agent, source, escrow } = entry.body;
    if (entry.kind === "coin_reward" && isInvented(`${agent}`, `${source}`))
      didAct(replay.state, entry.at, `${agent}`, `${source}`);
    if (entry.kind === "order" && !namesAccounts) replay.state.escrows.add(`${escrow}`);
    replay.add(entry);
    if (entry.kind === "recognition" && isInvented(`${agent}`, `${source}`))
      replay.state.recognitions.delete(Number(entry.body["recognition_id"]));
  }
  const { holders } = replay.state.uses;
  for (const [key, holder] of holders)
    if (isInventedUse(holder.used_by)) holders.set(key, { ...holder, isAnnounced: false });
  assert.deepEqual([...changed], [], "a rule reads values, and nothing that changes later");
  assert.deepEqual([...unlike], [], "a writer decides on what the replay sees");
  return replay.findings();
}
