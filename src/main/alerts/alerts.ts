import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Finding } from "../../domains/operator/finding.ts";
import type { Figures } from "../../surfaces/operator/metrics.ts";
import type { Figure } from "../conditions/condition.ts";
import type { Job } from "../jobs/jobs.ts";
import type { Log } from "../log.ts";
import type { Happenings } from "../measures/happenings.ts";
import type { Service } from "../service/open-service.ts";
import type { Configuration } from "../settings/settings.ts";
import { beat, type Channel, logChannel, programOf, webhook } from "./channels.ts";
import { tellerOf } from "./teller.ts";

const LOOK_EVERY_MS = 15_000;
const BEAT_EVERY_MS = 60_000;
/** Looks that 5 minutes have. */
const REMEMBERED = 20;

type AlarmSettings = Pick<
  Configuration,
  "alarmWebhook" | "alarmSecretFile" | "alarmCommand" | "heartbeatUrl"
>;

/** The ways in which an operator is told. Throws a sentence when the file of the secret cannot be read. */
export function channelsOf(settings: AlarmSettings): readonly Channel[] {
  const { alarmWebhook, alarmSecretFile, alarmCommand } = settings;
  const secret = alarmSecretFile === null ? null : secretIn(alarmSecretFile);
  return [
    ...(alarmWebhook === null ? [] : [webhook(alarmWebhook, secret)]),
    ...(alarmCommand === null ? [] : [programOf(alarmCommand)]),
  ];
}

/** Throws a sentence when the file of the secret cannot be read, before anything begins. */
export const demandSecret = (settings: AlarmSettings): void => void channelsOf(settings);

function secretIn(file: string): string {
  try {
    const secret = readFileSync(file, "utf8").trim();
    if (secret !== "") return secret;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`CAIRN_ALARM_SECRET_FILE cannot be read: ${why}`, { cause: error });
  }
  throw new Error(`CAIRN_ALARM_SECRET_FILE ${file} is empty.`);
}

interface AlertParts {
  readonly figures: Pick<Figures, "known" | "failures">;
  readonly happenings: Pick<Happenings, "alarms">;
  readonly unhealthy: () => Promise<readonly Finding[]>;
  readonly log: Pick<Log, "error" | "warn" | "info">;
}

/**
 * Whether this process speaks for the network: it has the embedded database alone, or of many nodes it is the one
 * with the operator's key. So an alarm is told once, and a service that has lost its key still tells.
 */
export const speaks = (
  { signer }: Pick<Service, "signer">,
  { databaseUrl }: Pick<Configuration, "databaseUrl">,
): boolean => databaseUrl === null || signer !== null;

interface Alerts {
  readonly jobs: readonly Job[];
  /** The conditions that are raised now, for the console. */
  readonly raised: () => readonly Finding[];
}

/** Looks at every condition, and tells the operator: in the log, and outside of this machine where a way is set. */
export function alertsOf(
  service: Pick<Service, "context" | "clock" | "signer">,
  settings: AlarmSettings & Pick<Configuration, "databaseUrl">,
  { figures, happenings, unhealthy, log }: AlertParts,
): Alerts {
  const { context, clock } = service;
  const isSpeaker = speaks(service, settings);
  const { heartbeatUrl } = settings;
  const failures: number[] = [];
  const { origin: network, baseUrl } = context.settings;
  const teller = tellerOf({
    channels: isSpeaker ? [logChannel(log), ...channelsOf(settings)] : [],
    network,
    baseUrl,
    newId: randomUUID,
    changed: (channel, why) =>
      why === null
        ? log.info({ channel }, "alarms are told again")
        : log.warn({ channel, why }, "an alarm could not be told"),
  });
  async function look(): Promise<void> {
    const values = await figures.known();
    failures.push(figures.failures());
    if (failures.length > REMEMBERED) failures.shift();
    const risen = (failures.at(-1) ?? 0) - (failures[0] ?? 0);
    const known = { value: (name: Figure) => values.get(name), failed: () => risen };
    await teller.look({ ...known, now: clock.now() }, happenings.alarms());
  }
  async function live(url: string): Promise<void> {
    if ((await unhealthy()).every(({ state }) => state === "warning")) await beat(url);
  }
  const beating = heartbeatUrl !== null && isSpeaker;
  return {
    raised: teller.raised,
    jobs: [
      { name: "alerts", every_ms: LOOK_EVERY_MS, run: look },
      ...(beating
        ? [{ name: "heart", every_ms: BEAT_EVERY_MS, run: () => live(heartbeatUrl) }]
        : []),
    ],
  };
}
