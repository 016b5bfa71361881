import { readFileSync } from "node:fs";
import * as z from "zod";
import { file, onOrOff, value } from "../../domains/operator/values.ts";
import { isoOf } from "../../platform/kernel/iso-time.ts";
import { type Policy, parsePolicy } from "../../platform/kernel/tlog/policy.ts";
import { sha256 } from "../../platform/ledger/sha256.ts";
import { logFacts, logReport } from "../../verify/log/report.ts";
import { plain } from "../../verify/plain.ts";
import {
  breachesLines,
  isUnknown,
  UNKNOWN_RULES,
  unknownFacts,
  unknownLines,
} from "../../verify/rules.ts";
import { command } from "../command/command.ts";
import { messageOf, REFUSED, Stop, USAGE } from "../command/stop.ts";
import { logPlace } from "../verify/options.ts";
import { auditLog, type LogAudit } from "./audit-log.ts";
import { CONTRADICTED, type Followed, follow, SHORTENED } from "./follow.ts";

const EXITS = {
  0: "done",
  1: "the policy does not accept the checkpoint, an entry is none, or the copy does not pass --audit",
  2: "wrong usage",
  [CONTRADICTED]: "the log contradicts itself; both notes are in evidence/",
  [SHORTENED]: "the log shows less than it has shown",
  5: "it could not be read, or its entries are not under its checkpoint",
};

const input = {
  from: logPlace("<url|folder>"),
  to: file.meta({ takes: "DIR" }).describe("the folder of the copy"),
  policy: file.describe("which log and which witnesses count (c2sp.org/tlog-policy)"),
};

/** The policy in a file. A Stop when it is none. */
export function policyIn(path: string): Policy {
  try {
    return parsePolicy(readFileSync(path, "utf8"), sha256);
  } catch (error) {
    throw new Stop(USAGE, `${path}: ${messageOf(error)}`, error);
  }
}

export const mirror = command({
  name: "mirror",
  summary: "copy a public log, check every entry, and keep the proof if it contradicts itself",
  about: `Reads the public log at an address such as https://example.org/tlog, or in a folder, by its tiles,
and keeps the same files in DIR, which any file server can serve. A checkpoint counts when the policy
accepts it, and only if it continues the one before. Run it again to follow the log.

With --audit the whole copy is read again: it is verified as \`cairn verify --log\` does, and the books
of coins, orders and transfers are made from its entries.`,
  input: z.object({
    ...input,
    audit: onOrOff.describe("check every entry and the books that the entries make"),
  }),
  operands: ["from"],
  opens: "nothing",
  proxied: true,
  exits: {
    ...EXITS,
    [UNKNOWN_RULES]:
      "with --audit: a part is under rules or of kinds that this version does not know",
  },
  async run({ values: { from, to, policy, audit } }) {
    const options = { folder: to, policy: policyIn(policy) };
    const { keep, refusal, ...followed } = await follow(from, options, () => {});
    if (refusal !== null) throw new Stop(REFUSED, refusal);
    await keep();
    if (!audit) return { text: textOf(followed), facts: { ...followed } };
    const audited = await auditLog(to, policy);
    const { verified, breaches, unknown, warnings, exit_code } = audited;
    return {
      text: [textOf(followed), "", ...auditLines(audited)].join("\n"),
      facts: {
        ...followed,
        audit: { ...logFacts(verified), breaches, unknown: unknownFacts(unknown), warnings },
      },
      exit_code,
    };
  },
});

const auditLines = ({ verified, breaches, unknown, warnings }: LogAudit): string[] => [
  logReport(verified),
  ...[...breachesLines(breaches), ...unknownLines(unknown)].map(plain),
  ...warnings.map((warning) => plain(`Warning: ${warning}.`)),
  ...(breaches.length === 0 && !isUnknown(unknown)
    ? ["No entry breaks a rule, and the sums hold."]
    : []),
];

const textOf = ({ origin, old_size, size, files }: Followed): string =>
  size === old_size
    ? `${origin}: ${size} entries, nothing new.`
    : `${origin}: ${size} entries, ${size - old_size} of them new, ${files} files written. All are under the signed checkpoint.`;

const agentId = value("AGENT", "an agent_id", (given) =>
  /^[A-Za-z0-9_-]{1,64}$/.test(given) ? given : undefined,
);

export const monitor = command({
  name: "monitor",
  summary: "follow a public log, and print what it says of one agent",
  about: `Does what \`cairn mirror\` does, and prints every new entry that names the agent: what it did, and what
was done in its name. Entries hold hashes of texts, not the texts. The copy goes on only when all was
printed: after a run that was cut off the same entries are new again. An entry that is none keeps it where
it is.`,
  input: z.object({ ...input, agent: agentId.describe("the agent to look for") }),
  operands: ["from"],
  opens: "nothing",
  proxied: true,
  exits: EXITS,
  async run({ values: { from, to, policy, agent } }) {
    const lines: string[] = [];
    const found: { id: number; kind: string; ref: string; at: number }[] = [];
    const options = { folder: to, policy: policyIn(policy) };
    const { keep, refusal, ...followed } = await follow(from, options, (entry) => {
      const { id, kind, ref, at, body } = entry;
      if (ref.split("/")[0] !== agent && !Object.values(body).includes(agent)) return;
      found.push({ id, kind, ref, at });
      lines.push(plain(`${isoOf(at)}  ${id}  ${kind} ${ref}`));
    });
    return {
      text: [...lines, refusal === null ? textOf(followed) : plain(refusal)].join("\n"),
      facts: { ...followed, found, ...(refusal !== null && { error: refusal }) },
      exit_code: refusal === null ? 0 : REFUSED,
      printed: keep,
    };
  },
});
