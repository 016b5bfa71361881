import { toHex } from "../../platform/kernel/bytes.ts";
import { plain } from "../plain.ts";
import { counted } from "../report.ts";
import type { LogFault } from "./files.ts";
import type { LogVerified } from "./outcome.ts";

/** What it found, for a machine. */
export function logFacts({ checkpoint, walked, exit_code: _, ...outcome }: LogVerified) {
  const { origin: log, size, root } = checkpoint;
  const { faults, faults_count, ...seen } = walked;
  return {
    ...outcome,
    log,
    size,
    root: toHex(root),
    ...seen,
    faults: faults_count,
    findings: faults,
  };
}

/** Short lines for a person; the last one is the verdict. */
export function logReport(outcome: LogVerified): string {
  const { source, checkpoint, walked, names_compared } = outcome;
  const { size, origin, root } = checkpoint;
  const more = walked.faults_count - walked.faults.length;
  return [
    `${source}: ${origin}`,
    `${size} entries under the checkpoint, root ${toHex(root)}.`,
    `Checked: ${counted(walked.entries, "entry", "entries")} and every hash above them, in ${counted(walked.files, "file")}.`,
    "A log holds no seals: `cairn verify` reads them from the service.",
    ...(names_compared === walked.entries
      ? []
      : [`Of the names, the memory was enough to compare ${names_compared}.`]),
    keyLine(outcome),
    witnessLine(outcome),
    ...walked.faults.map(faultLine),
    ...(more > 0 ? [`and ${more} more`] : []),
    verdictLine(outcome),
  ]
    .map(plain)
    .join("\n");
}

const faultLine = ({ file, ledger_id, reason }: LogFault): string =>
  `${file}${ledger_id === null ? "" : `, entry ${ledger_id}`}: ${reason}`;

function keyLine({ log_key, key_source }: LogVerified): string {
  if (log_key === null) return "No entry names the log's key.";
  return key_source === "policy"
    ? `Key ${log_key} of the log, as the policy names it.`
    : `Key ${log_key} of the log is trusted on first use: an entry names it. Compare it with a second place.`;
}

function witnessLine({ witnessed }: LogVerified): string {
  if (witnessed === null) return "Not checked against witnesses.";
  const { by, at } = witnessed;
  if (by.length === 0) return "No witness is asked for.";
  return `Witnessed by ${by.join(", ")}, since Unix second ${at}.`;
}

function verdictLine({ exit_code, walked }: LogVerified): string {
  if (exit_code === 0) return "The log verifies.";
  const [first] = walked.faults;
  const count = counted(walked.faults_count, "fault");
  const verdict =
    walked.faults_count === walked.unread ? "cannot be read whole" : "does not verify";
  return `The log ${verdict}: ${count}, the first in ${first?.file}.`;
}
