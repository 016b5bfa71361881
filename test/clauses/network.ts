import { keyText } from "../../src/domains/identity/keys/act-rule.ts";
import { PAUSE_MINUTES_MAX } from "../../src/domains/identity/rules.ts";
import { keyedId } from "../../src/platform/kernel/proof/agent-id.ts";
import {
  announcementMessage,
  keyRotationMessage,
} from "../../src/platform/kernel/proof/seal-text.ts";
import { DAY_S, days, HOUR_S, MINUTE_S } from "../../src/platform/kernel/time.ts";
import { sha256Hex } from "../../src/platform/ledger/sha256.ts";
import { newPair, type Pair } from "../act-keys.ts";
import { type Body, begunHistory, type History } from "../history.ts";
import {
  ADA,
  begun,
  counted,
  type Forged,
  HASH,
  NOBODY,
  OPERATOR,
  ORIGIN,
  REASON,
  whileBanned,
} from "./begun.ts";

// The ledger itself, its operator, and who the agents are.

export const NEXT = newPair();
const [FIRST, SECOND] = [newPair(), newPair()];

export function announce(
  history: History,
  announcement_kind: string,
  by: Pair,
  changed: Body = {},
) {
  const hashes = { title_sha256: HASH, body_sha256: HASH };
  const id = Number(changed["announcement_id"] ?? 1);
  const body = { announcement_id: id, pubkey: by.pubkey, ...hashes, signed_at: history.now };
  const text = announcementMessage({ ...body, origin: ORIGIN, id, kind: announcement_kind });
  const signature = by.sign(text);
  return history.add("announcement", { ...body, announcement_kind, signature, ...changed });
}

export const announced = (history: History, kind: string, announcement_id = 1): History =>
  announce(history, kind, OPERATOR, { announcement_id });

/** A pause, which the announcement with the same number has announced. */
export const pause = (
  history: History,
  id: number,
  seconds: number,
  announcement_id = id,
): History =>
  history.add("registrations_paused", {
    pause_id: id,
    ends_at: history.now + seconds,
    announcement_id,
  });
const paused = (pause_id = 1, seconds = HOUR_S): History =>
  pause(announced(begun(), "limit_added"), pause_id, seconds, 1);

export function rotate(changed: Body, history = begun()): History {
  const [old_pubkey, new_pubkey, signed_at] = [OPERATOR.pubkey, NEXT.pubkey, history.now];
  const rotation = Number(changed["rotation"] ?? 1);
  const keys = { rotation, old_pubkey, new_pubkey, signed_at };
  const text = keyRotationMessage({ ...keys, origin: ORIGIN });
  const signatures = { signature_old: OPERATOR.sign(text), signature_new: NEXT.sign(text) };
  return history.add("key_rotation", { ...keys, ...signatures, anchored: 1, ...changed });
}

const restored = (history: History, epoch: number, changed: Body = {}): History =>
  history.add("ledger_restored", {
    epoch,
    origin: `${ORIGIN}#${epoch}`,
    lost_after_id: history.entries.length,
    lost_after_seq: 0,
    ...REASON,
    ...changed,
  });

export const resumed = (history: History, after_id: number): History =>
  history.add("ledger_resumed", { after_id, count: 2 });

const log = (epoch: number, ...numbers: number[]): History => {
  const body = { epoch, log_origin: `${ORIGIN}/log/1`, pubkey: HASH };
  return counted(begun(), "log_key", { body, of: `${epoch}`, numbers });
};

/** Numbered entries about Ada, as far as each kind counts its own. */
const about =
  (kind: string, changed: Body, ...numbers: number[]) =>
  (history: History = begun()): History =>
    counted(history, kind, { body: { agent: ADA, ...changed }, of: ADA, numbers });

interface NewKey {
  readonly n: number;
  readonly old?: Pair;
  readonly by?: Pair;
  readonly recover_s?: number;
  readonly not_after?: number;
  readonly agent?: string;
  readonly handle?: string;
}

export function key(history: History, pair: Pair, { n, old, by = pair, ...more }: NewKey) {
  const { agent = ADA, recover_s = days(7), not_after = history.now + HOUR_S } = more;
  const numbers = { n, act: n, not_after };
  const named = more.handle === undefined ? {} : { handle: more.handle };
  const body = { agent, pubkey: pair.pubkey, recover_s, ...numbers, ...named };
  const text = keyText({ genesis: history.genesis, epoch: 1 }, body);
  const signatures = { signature: by.sign(text), signature_old: old?.sign(text) };
  return history.add("agent_key", { ...body, ...signatures });
}

const keyed = (recover_s = days(7)): History => key(begun(), FIRST, { n: 1, recover_s });

export const lost = (history: History, attempt: number, changed: Body = {}): History =>
  history.add("agent_key_lost", {
    agent: ADA,
    attempt,
    pubkey: SECOND.pubkey,
    takes_effect_at: history.now + days(7),
    ...changed,
  });

const recognise = (changed: Body): History =>
  begun().add("recognition", {
    recognition_id: 1,
    agent: ADA,
    days: 3,
    why: "grant",
    ...changed,
  });

export const network: Forged = {
  "genesis.again": () => {
    const first = begunHistory([]);
    const [genesis] = first.entries.splice(0);
    return first.add("agent", { agent: ADA }).add("genesis", { ...genesis?.body });
  },
  "genesis.supply": () => begunHistory([], { coin_total_micro: 1 }),
  "genesis.protocol": () => begunHistory([], { protocol_version: 2 }),
  "announcement.count": () => announce(begun(), "news", OPERATOR, { announcement_id: 2 }),
  "announcement.key": () => announce(begun(), "news", NEXT),
  "announcement.signature": () =>
    announce(begun(), "news", OPERATOR, { signature: NEXT.sign("news") }),
  "key_rotation.count": () => rotate({ rotation: 2 }),
  "key_rotation.old": () => rotate({ old_pubkey: FIRST.pubkey }),
  "key_rotation.anchor": () => rotate({ anchored: 0 }),
  "key_rotation.signature": () => rotate({ signature_old: FIRST.sign("it") }),
  "ledger_restored.epoch": () => restored(restored(begun(), 3), 2),
  "ledger_restored.origin": () => restored(begun(), 2, { origin: `${ORIGIN}#3` }),
  "ledger_restored.lost": () => restored(begun(), 2, { lost_after_id: 2 }),
  "heartbeat.after": () => begun().pass(DAY_S).add("heartbeat", { after_id: 4 }),
  "heartbeat.early": () =>
    begun()
      .pass(DAY_S - 1)
      .add("heartbeat", { after_id: 3 }),
  "breach_acknowledged.later": () => begun().add("breach_acknowledged", { of: 4, reason: "It." }),
  "rules_adopted.later": () => begun().add("rules_adopted", { rules: 1 }),
  "ledger_resumed.after": () => resumed(begun(), 2),
  "ledger_resumed.count": () => resumed(resumed(begun(), 3), 4),
  "log_key.epoch": () => log(2, 1),
  "log_key.count": () => log(1, 2),
  "log_key.key": () => log(1, 1, 2),

  "agent.form": () => begun().add("agent", { agent: NOBODY, handle: "admin" }),
  "handle.unknown": () => begun().add("handle", { agent: NOBODY, handle: "cleo" }),
  "handle.form": () => begun().add("handle", { agent: ADA, handle: "admin" }),
  "handle.banned": () => whileBanned(begun().add("handle", { agent: ADA, handle: "cleo" }), ADA),
  "profile.banned": () => whileBanned(about("profile", {}, 1)(), ADA),
  "agent_key.banned": () => whileBanned(keyed(), ADA),
  "agent_key_lost.banned": () => whileBanned(lost(keyed(), 1), ADA),
  "profile.count": about("profile", {}, 2),
  "agent_banned.twice": about("agent_banned", REASON, 1, 2),
  "agent_banned.count": about("agent_banned", REASON, 2),
  "agent_unbanned.free": about("agent_unbanned", REASON, 1),
  "agent_unbanned.count": () =>
    about("agent_unbanned", REASON, 2)(about("agent_banned", REASON, 1)()),
  "agent_own.same": about("agent_own", { own: 0 }, 1),
  "agent_own.count": about("agent_own", { own: 1 }, 2),
  "recognition.days": () => recognise({ days: 3_651 }),
  "recognition.source": () => recognise({ why: "quest", source: "claim/1" }),
  "registrations_paused.count": () => paused(2),
  "registrations_paused.inForce": () => pause(announced(paused(), "limit_added", 2), 2, MINUTE_S),
  "registrations_paused.span": () => paused(1, PAUSE_MINUTES_MAX * MINUTE_S + 1),
  "registrations_paused.announced": () => pause(announced(begun(), "news"), 1, HOUR_S),
  "registrations_resumed.none": () =>
    paused().pass(HOUR_S).add("registrations_resumed", { pause_id: 1 }),
  "agent_key.unknown": () => key(begun(), FIRST, { n: 1, agent: NOBODY }),
  "agent_key.count": () => key(begun(), FIRST, { n: 2 }),
  "agent_key.id": () => {
    const agent = keyedId(SECOND.pubkey, sha256Hex);
    return key(begun().add("agent", { agent }), FIRST, { n: 1, agent });
  },
  "agent_key.handle": () => key(begun(), FIRST, { n: 1, handle: "mallory" }),
  "agent_key.late": () => key(begun(), FIRST, { n: 1, not_after: begun().now - 1 }),
  "agent_key_lost.unknown": () => lost(begun(), 1, { agent: NOBODY }),
  "agent_key_lost.count": () => lost(keyed(), 2),
  "agent_key_lost.same": () => lost(lost(keyed(), 1), 2),
  "agent_key_lost.time": () => lost(keyed(), 1, { takes_effect_at: begun().now + days(6) }),
  "agent_key_kept.same": () => keyed().add("agent_key_kept", { agent: ADA, attempt: 1 }),
  "agent_key_kept.attempt": () =>
    lost(keyed(), 1).add("agent_key_kept", { agent: ADA, attempt: 2 }),
};
