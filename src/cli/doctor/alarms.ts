import type { Finding, Patient } from "./finding.ts";

const about = "alarms";

/** Whether anybody is told when something breaks. */
export async function checkAlarms({ configuration }: Patient): Promise<Finding[]> {
  const { alarmWebhook, alarmCommand, heartbeatUrl } = configuration;
  if (alarmWebhook !== null || alarmCommand !== null)
    return [
      {
        about,
        state: "ok",
        text:
          heartbeatUrl === null
            ? "Alarms are sent; a service that is dead sends none (CAIRN_HEARTBEAT_URL)."
            : "Alarms are sent, and so is a heartbeat.",
      },
    ];
  const isPublic = configuration.protection === "public";
  return [
    {
      about,
      state: isPublic ? "warning" : "ok",
      text: "Nobody is told when something breaks, but by the log and Prometheus.",
      ...(isPublic && {
        advice:
          "Set CAIRN_ALARM_WEBHOOK or CAIRN_ALARM_COMMAND, or watch ops/prometheus/alerts.yml: docs/operating/notify.md.",
      }),
    },
  ];
}
