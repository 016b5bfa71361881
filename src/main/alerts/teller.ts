import type { Finding } from "../../domains/operator/finding.ts";
import type { AlarmName } from "../../platform/kernel/alarms.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import { type Condition, type Known, runbookOf, sentenceOf } from "../conditions/condition.ts";
import { CONDITIONS } from "../conditions/conditions.ts";
import type { Channel, Notice } from "./channels.ts";

/** The same event is told again after so long, with what came meanwhile. */
const EVENT_EVERY_S = 600;
const EVENTS_PAGE = "docs/operating/alarms.md";

/** Where a condition stands. */
interface Standing {
  /** Since when it is so. */
  readonly since: Seconds;
  readonly value: number;
  readonly isRaised: boolean;
}

/** A notice on its way to a channel; the newest of an alert takes the place of an older one. */
type Waiting = Map<string, Notice>;

export interface TellerParts {
  readonly channels: readonly Channel[];
  readonly network: string;
  readonly baseUrl: string;
  /** A name for a notice. */
  readonly newId: () => string;
  /** Is told when a channel begins to fail, and why; null: it works again. */
  readonly changed: (channel: Channel["name"], why: string | null) => void;
}

/**
 * Tells the operator when something begins to be wrong, and when it is well again. A channel that does not take a
 * notice gets the newest state of its alert at the next look: nothing queues up.
 */
export function tellerOf(parts: TellerParts) {
  const { channels, network, baseUrl: base_url, newId, changed } = parts;
  const standing = new Map<Condition, Standing>();
  const events = new Map<AlarmName, { told_at: Seconds; told: number }>();
  const failing = new Set<Channel>();
  const waiting = new Map<Channel, Waiting>(channels.map((channel) => [channel, new Map()]));

  const say = (notice: Omit<Notice, "id" | "network" | "base_url">): void => {
    const whole = { id: newId(), ...notice, network, base_url };
    for (const each of waiting.values()) each.set(notice.alert, whole);
  };

  function judge(condition: Condition, known: Known): void {
    const { alert, severity, for_s, advice } = condition;
    const value = condition.test.wrong(known);
    const before = standing.get(condition);
    const own = { alert, severity, at: known.now, advice, runbook: runbookOf(condition) };
    if (value === null) {
      standing.delete(condition);
      if (before?.isRaised !== true) return;
      const sentence = `It is over: ${sentenceOf(condition, before.value)}`;
      say({ ...own, state: "resolved", sentence, since: before.since });
      return;
    }
    const since = before?.since ?? known.now;
    const isRaised = known.now - since >= for_s;
    standing.set(condition, { since, value, isRaised });
    if (isRaised && before?.isRaised !== true)
      say({ ...own, state: "raised", sentence: sentenceOf(condition, value), since });
  }

  function happened(alarms: ReadonlyMap<AlarmName, number>, now: Seconds): void {
    for (const [name, count] of alarms) {
      const { told_at, told } = events.get(name) ?? { told_at: 0, told: 0 };
      if (count <= told || now - told_at < EVENT_EVERY_S) continue;
      events.set(name, { told_at: now, told: count });
      const times = count - told === 1 ? "" : ` ${count - told} times`;
      const sentence = `The alarm ${name} came${times}: the log has its facts.`;
      const advice = "Look at its line in the log.";
      const own = { alert: name, severity: "page", advice, runbook: EVENTS_PAGE } as const;
      say({ ...own, state: "event", sentence, since: now, at: now });
    }
  }

  async function deliver(channel: Channel, notices: Waiting): Promise<void> {
    for (const [alert, notice] of [...notices]) {
      const why = await channel.send(notice);
      if ((why !== null) !== failing.has(channel)) changed(channel.name, why);
      if (why !== null) return void failing.add(channel);
      failing.delete(channel);
      if (notices.get(alert) === notice) notices.delete(alert);
    }
  }

  return {
    /** One look; resolves when the channels have been tried. */
    async look(known: Known, alarms: ReadonlyMap<AlarmName, number>): Promise<void> {
      for (const condition of CONDITIONS) judge(condition, known);
      happened(alarms, known.now);
      await Promise.all([...waiting].map(([channel, notices]) => deliver(channel, notices)));
    },
    /** The conditions that are raised now, as findings: no probe fails for one. */
    raised: (): readonly Finding[] =>
      [...standing]
        .filter(([, { isRaised }]) => isRaised)
        .map(([condition, { value, since }]) => ({
          name: condition.alert,
          state: "warning",
          sentence: sentenceOf(condition, value),
          advice: condition.advice,
          since,
        })),
  };
}
