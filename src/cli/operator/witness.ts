import * as z from "zod";
import { witnessedLogs } from "../../domains/tlog/cosigning-queries.ts";
import { witnessLine } from "../../main/service/cosigner.ts";
import { isoOf } from "../../platform/kernel/iso-time.ts";
import { REFUSED, Stop } from "../command/stop.ts";
import { operatorCommand } from "./operator-command.ts";

/** Logs that are shown. */
const SHOWN_MAX = 1_000;

export const WITNESS_COMMANDS = [
  operatorCommand({
    name: "witness show",
    looks: true,
    summary: "print this service's line for the policies of others, and the logs that it witnesses",
    about:
      "The service is a witness where CAIRN_WITNESS_LOGS names a list of logs. Operators of these logs, and\nreaders who trust this service, put the line into their policies.",
    input: z.object({}),
    async run({ service: { context, witness } }) {
      if (witness === null)
        throw new Stop(REFUSED, "This service is no witness: set CAIRN_WITNESS_LOGS.");
      const line = witnessLine(witness, context.settings.baseUrl);
      const logs = await witnessedLogs.all(context.read, { limit: SHOWN_MAX });
      const shown = logs.map(({ origin, size, at }) =>
        at === null ? `  ${origin}  nothing so far` : `  ${origin}  ${size} at ${isoOf(at)}`,
      );
      const facts = logs.map(({ origin, vkey, size, at }) => ({ origin, vkey, size, at }));
      return { text: [line, "", ...shown].join("\n"), facts: { line, logs: facts } };
    },
  }),
];
