import { key } from "../setting-key.ts";
import { alarmUrl, matching, programWords } from "../setting-texts.ts";

const ALARM_URL = "an https URL, or an http URL of a loopback address";

/** How the operator is told. In the order of the operators' guide. */
export const ALARM_KEYS = {
  alarmWebhook: key<string | null>({
    variable: "CAIRN_ALARM_WEBHOOK",
    meaning:
      "Where [alarms](notify.md) are posted as JSON: an `https` URL, or `http` on a loopback address. It may hold a secret, and is never shown",
    fallback: null,
    allowed: ALARM_URL,
    parse: alarmUrl,
    isSecret: true,
  }),
  alarmSecretFile: key<string | null>({
    variable: "CAIRN_ALARM_SECRET_FILE",
    isPath: true,
    meaning: "A file with the secret that signs them (Standard Webhooks)",
    fallback: null,
    allowed: "a file",
    parse: matching(/./),
  }),
  alarmCommand: key<readonly string[] | null>({
    variable: "CAIRN_ALARM_COMMAND",
    meaning:
      "A program and its arguments, parted by spaces, that gets each alarm as JSON on its standard input. No shell runs it",
    fallback: null,
    allowed: "the path of a program and its arguments, parted by spaces",
    parse: programWords,
  }),
  heartbeatUrl: key<string | null>({
    variable: "CAIRN_HEARTBEAT_URL",
    meaning:
      "Is posted to once a minute while the service is healthy: a service elsewhere misses it when this one is dead",
    fallback: null,
    allowed: ALARM_URL,
    parse: alarmUrl,
    isSecret: true,
  }),
} as const;
