import { randomUUID } from "node:crypto";
import * as z from "zod";
import { channelsOf } from "../../main/alerts/alerts.ts";
import type { Notice } from "../../main/alerts/channels.ts";
import { baseUrlOf } from "../../main/settings/settings.ts";
import { command } from "../command/command.ts";
import { REFUSED, Stop } from "../command/stop.ts";

const NONE =
  "Nobody would be told of an alarm: set CAIRN_ALARM_WEBHOOK or CAIRN_ALARM_COMMAND (docs/operating/notify.md).";

export const ALARM_COMMANDS = [
  command({
    name: "alarm test",
    summary: "send a test alarm in each way that is set, and say how it went",
    input: z.object({}),
    opens: "database",
    exits: { 0: "each way took it", 1: "one did not, or none is set", 2: "wrong usage" },
    async run({ configuration }) {
      const channels = channelsOf(configuration);
      if (channels.length === 0) throw new Stop(REFUSED, NONE);
      const now = Math.floor(Date.now() / 1_000);
      const notice: Notice = {
        id: randomUUID(),
        alert: "test",
        state: "test",
        severity: "ticket",
        sentence: "This is a test of the alarms.",
        advice: "Nothing is to do.",
        since: now,
        at: now,
        runbook: "docs/operating/notify.md",
        network: configuration.origin ?? "",
        base_url: baseUrlOf(configuration),
      };
      const results = await Promise.all(
        channels.map(async (channel) => ({
          channel: channel.name,
          why: await channel.send(notice),
        })),
      );
      const lines = results.map(({ channel, why }) => `${channel}: ${why ?? "it took the alarm."}`);
      return {
        text: lines.join("\n"),
        facts: { results },
        exit_code: results.some(({ why }) => why !== null) ? REFUSED : 0,
      };
    },
  }),
];
