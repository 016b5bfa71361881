import type { Counts } from "../../domains/counters/counts.ts";
import { registrationsLastHour } from "../../domains/identity/registrations/registrations.ts";
import type { Occurrence } from "../../platform/context.ts";
import { WAITING_WRITES_MAX } from "../../platform/db/engine.ts";
import type { Measure } from "../../surfaces/operator/metrics.ts";
import type { Service } from "../service/open-service.ts";
import { WAITING_READS_MAX } from "../service/wait-room.ts";

/** What the connections of a process hold at a moment. */
export interface Load {
  readonly connections: number;
  readonly unsent_bytes: number;
  readonly waiting_reads: number;
}

/** What strangers were refused, as `/protection` counts it. */
const REFUSALS = [
  [
    "cairn_connections_closed_slow_total",
    "Connections closed because their answers were not read.",
    "connection_closed_slow",
  ],
  [
    "cairn_connections_refused_total",
    "Connections closed because their address had too many.",
    "connection_refused",
  ],
  ["cairn_waits_displaced_total", "Waits that made room for others.", "wait_displaced"],
  ["cairn_lists_cut_total", "Lists that ended for their size.", "list_cut"],
  ["cairn_rate_limited_total", "Requests over the rate limit.", "rate_limited"],
  [
    "cairn_registrations_refused_total",
    "Registrations over the limit or in a pause.",
    "registration_refused",
  ],
  [
    "cairn_rewards_braked_total",
    "Acts that earned nothing because of the announced number of rewards an hour.",
    "reward_braked",
  ],
  [
    "cairn_messages_refused_total",
    "Messages that a recipient had no room for, or had blocked the sender of.",
    "message_refused",
  ],
] as const satisfies readonly (readonly [Measure["name"], string, Occurrence])[];

/** Connections, what waits, and what was refused. */
export function trafficMeasures(
  { store, clock, occurrences }: Service,
  load: () => Load,
  counts: () => Promise<Counts>,
): Measure[] {
  return [
    {
      name: "cairn_connections",
      help: "Open connections of the network's listener.",
      collect: () => load().connections,
    },
    {
      name: "cairn_unsent_bytes",
      help: "Bytes of answers that clients have not read.",
      collect: () => load().unsent_bytes,
    },
    {
      name: "cairn_waiting_reads",
      help: "Readers of /since that wait for an entry.",
      collect: () => load().waiting_reads,
    },
    {
      name: "cairn_waiting_reads_max",
      help: "The number of them in one process above which the oldest ends.",
      collect: () => WAITING_READS_MAX,
    },
    {
      name: "cairn_waiting_writes",
      help: "Writes that wait for their turn.",
      collect: async () => (await store.health()).waitingWrites,
    },
    {
      name: "cairn_waiting_writes_max",
      help: "The number of them in one process above which a write is refused.",
      collect: () => WAITING_WRITES_MAX,
    },
    ...REFUSALS.map(
      ([name, help, what]): Measure => ({
        name,
        help,
        collect: async () => (await counts())(what).n + occurrences.unsaved(what),
      }),
    ),
    {
      name: "cairn_registrations_last_hour",
      help: "Agents that registered within the last hour, up to 10,000.",
      collect: () => registrationsLastHour(store.probe, clock.now()),
    },
  ];
}
