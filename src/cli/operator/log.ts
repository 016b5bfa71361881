import * as z from "zod";
import { file, onOrOff, words } from "../../domains/operator/values.ts";
import { beginLog } from "../../domains/tlog/begin.ts";
import { currentLog } from "../../domains/tlog/log.ts";
import { DAY_S } from "../../platform/kernel/time.ts";
import { vkeyOf } from "../../platform/kernel/tlog/note.ts";
import { REFUSED, Stop } from "../command/stop.ts";
import { exportLog } from "../log/export.ts";
import { operatorCommand } from "./operator-command.ts";

/** A checkpoint is one request to a witness; as many again are for retries. */
const REQUESTS_FOR_EACH = 2;

export const LOG_COMMANDS = [
  operatorCommand({
    name: "log init",
    summary: "publish the ledger as a transparency log: its key, its name, its first entry",
    about:
      "Makes the log's key and names it in the ledger. From the next signed seal on the service publishes\ncheckpoints at /tlog/checkpoint. Run it again after a restore that began a new epoch: the new log has\na key and a name of its own.",
    input: z.object({
      lost: onOrOff.describe(
        "the key of this log is lost: begin another log, with a name of its own",
      ),
    }),
    async run({ service: { context, logSigner }, values: { lost } }) {
      const { keyFile } = logSigner;
      const log = await currentLog(context.read);
      const isHeld = log !== null && logSigner.key()?.pubkey === log.key.pubkey;
      if (log !== null && !isHeld && !lost)
        throw new Stop(
          REFUSED,
          `The key ${log.key.pubkey} of the log ${log.origin} is not in ${keyFile}: put it there, or pass --lost if it is lost.`,
        );
      if (isHeld && lost)
        throw new Stop(REFUSED, `The key of the log ${log.origin} is in ${keyFile}.`);
      const { origin, pubkey } = isHeld
        ? { origin: log.origin, pubkey: log.key.pubkey }
        : await beginLog(context, logSigner.freshKey);
      return {
        text: [
          isHeld ? "The log has begun before; nothing was changed." : "The log begins.",
          `  origin  ${origin}`,
          `  key     ${pubkey}`,
          `  file    ${keyFile}`,
        ].join("\n"),
        facts: { begun: !isHeld, log_origin: origin, public_key: pubkey, key_file: keyFile },
      };
    },
  }),

  operatorCommand({
    name: "log join",
    summary: "print what the public witness network wants to know of the log",
    about:
      "Prints the entry for the list of logs that witnesses read, and the line that names the log in a\npolicy. Where to send them: https://witness-network.org/participate. Nothing is sent or changed.",
    input: z.object({
      contact: words(200).describe("how witnesses reach you, such as an address"),
    }),
    async run({ service: { context }, configuration, values: { contact } }) {
      const log = await currentLog(context.read);
      if (log === null) throw new Stop(REFUSED, "There is no log. `cairn log init` begins one.");
      const vkey = vkeyOf(log.key);
      const url = context.settings.logUrl ?? `${context.settings.baseUrl}${log.prefix}`;
      const qpd = REQUESTS_FOR_EACH * Math.ceil(DAY_S / configuration.witnessInterval_s);
      const entry = [`vkey ${vkey}`, `qpd ${qpd}`, `contact ${contact}`].join("\n");
      const policy_line = `log ${vkey} ${url}`;
      const text = `${entry}\n\nIn a policy the log is:\n${policy_line}`;
      return { text, facts: { vkey, qpd, contact, policy_line } };
    },
  }),

  operatorCommand({
    name: "log export",
    looks: true,
    summary: "write the public log as files, which any web server can serve",
    about:
      "Writes the paths of /tlog below DIR, the checkpoint last. Run it again to add what is new. Readers of\nthe files need neither the service nor the database.",
    input: z.object({ to: file.meta({ takes: "DIR" }).describe("the folder") }),
    async run({ service: { context }, values: { to } }) {
      const exported = await exportLog(context.read, to);
      const { log_origin, size, files, folder } = exported;
      return {
        text: `${log_origin}: ${size} entries, ${files} files written to ${folder}.`,
        facts: { ...exported },
      };
    },
  }),
];
