/** Everything that `/healthz` and `/readyz` can find wrong, by name: the labels of `cairn_health_finding`. */
export const REASON_NAMES = [
  "storage",
  "clock_leaps",
  "clock_behind",
  "signer",
  "sequencer",
  "seal",
  "chain",
  "jobs",
  "log",
  "writes",
  "starting",
  "stopping",
  "workers",
] as const;
export type ReasonName = (typeof REASON_NAMES)[number];

/** Why a probe says no, and what to do. */
interface Reason {
  readonly name: ReasonName;
  /** `…` stands for what is filled in. */
  readonly sentence: string;
  readonly advice: string;
  /** A page of docs/operating, with its heading. */
  readonly page?: string;
}

const DISK = "troubleshoot.md#disk-space";
const CLOCK = "troubleshoot.md#the-clock";
const WRITES = "troubleshoot.md#no-writes-are-taken";
const LOST = "troubleshoot.md#lost-seals";
const SIGNER = "alarms.md";

/** In the order of docs/operating/monitor.md. Sentences of the storage and the ledger are theirs; a test compares. */
export const REASONS = {
  silent: {
    name: "storage",
    sentence: "The storage does not answer.",
    advice: "Check the disk, or the PostgreSQL server.",
  },
  refuses: {
    name: "storage",
    sentence: "The storage refuses all writes: ….",
    advice:
      "For 5 seconds each write was refused, with these words of SQLite or PostgreSQL: a quota, a limit of file sizes, a failing disk, rights that were taken. The service stores a few KB each second to find out, and is ready again by itself.",
    page: WRITES,
  },
  disk_full: {
    name: "storage",
    sentence: "The storage takes no writes: its disk has too little free space.",
    advice: "Make room. Writes resume without a restart.",
    page: DISK,
  },
  log_removed: {
    name: "storage",
    sentence: "The log file was removed. …",
    advice:
      "Somebody removed `cairn.db-wal` under a running service. Stop it with SIGTERM, never with SIGKILL: it then moves what the log held into the database.",
    page: DISK,
  },
  index_removed: {
    name: "storage",
    sentence: "The file cairn.db-shm was removed or replaced. …",
    advice: "Stop the service with SIGTERM and start it again.",
    page: DISK,
  },
  locked: {
    name: "storage",
    sentence: "Another program holds the write lock of the database.",
    advice:
      "Close the program that has a transaction open in `cairn.db`, such as a `sqlite3` shell. Writes go on without a restart.",
    page: DISK,
  },
  no_writes: {
    name: "storage",
    sentence: "The storage takes no writes.…",
    advice:
      "Was the database file moved or replaced? On PostgreSQL the server is away, or a standby.",
    page: DISK,
  },
  lost_health: {
    name: "signer",
    sentence: "The database lacks seal …, which was signed.",
    advice: "Bring back the newest database, or `cairn backup` this one and restore it.",
    page: LOST,
  },
  lost_writes: {
    name: "writes",
    sentence: "The database lacks seal …, which was signed.",
    advice: "Bring back the newest database, or `cairn backup` this one and restore it.",
    page: LOST,
  },
  other_key: {
    name: "signer",
    sentence: "The operator's key on this node is not …",
    advice: "Put the right file there and start again.",
    page: SIGNER,
  },
  no_memory: {
    name: "signer",
    sentence: "There are signed seals, but signer-memory.json is gone: …",
    advice: "Put back the file that was there last, not an older one.",
    page: SIGNER,
  },
  unreadable_memory: {
    name: "signer",
    sentence: "signer-memory.json is there and cannot be read…",
    advice: "`signer_refuses`, `unreadable` among the alarms says which words mean what.",
    page: SIGNER,
  },
  nobody: {
    name: "signer",
    sentence: "No node signs.",
    advice:
      "No node with the key has said for 3 minutes that it runs. Start that node, or put the key back.",
    page: "troubleshoot.md#nobody-signs",
  },
  leaps: {
    name: "clock_leaps",
    sentence: "The clock is … days beyond the last entry.",
    advice: "Look at the clock first. If it is right: `cairn clock accept`.",
    page: CLOCK,
  },
  held: {
    name: "writes",
    sentence: "The clock has jumped ahead by … days; …",
    advice: "Look at the clock first. If it is right: `cairn clock accept`.",
    page: CLOCK,
  },
  rules: {
    name: "writes",
    sentence: "The ledger follows rules …",
    advice: "Start a newer version. This one serves reads, and seals what is there.",
    page: WRITES,
  },
  rehearsal: {
    name: "writes",
    sentence: "This is a rehearsal of a restore: it takes no writes.",
    advice: "Nothing: `cairn restore --rehearse` made it.",
    page: "rehearse.md",
  },
  sequencer: {
    name: "sequencer",
    sentence: "An entry has waited … s for its id.",
    advice: "PostgreSQL only. Look for `sequencing_failed` and `clocks_apart` on every node.",
  },
  seal: {
    name: "seal",
    sentence: "An entry has waited … s for its seal.",
    advice: "Look for `a job failed` with the job `seal`, and for `ledger_violation`.",
  },
  broken: {
    name: "chain",
    sentence: "The chain is broken at seal ….",
    advice:
      "Keep a copy of the database as it is, check the disk, and restore the last backup that verifies.",
    page: "alarms.md",
  },
  behind: {
    name: "clock_behind",
    sentence: "The clock is … s behind the last entry.",
    advice: "Repair the time service.",
    page: CLOCK,
  },
  job: {
    name: "jobs",
    sentence: "The job … has failed … times in a row: ….",
    advice:
      "Look at what its last words name. It is tried again by itself, and the finding goes with the first success.",
    page: "troubleshoot.md#a-job-keeps-failing",
  },
  log: {
    name: "log",
    sentence: "Lines of the log are dropped: ….",
    advice:
      "Standard output takes nothing: a full disk (`ENOSPC`), a closed terminal (`EIO`), no reader (`EPIPE`). The service goes on, and tries again each second.",
  },
  no_worker: {
    name: "workers",
    sentence: "No worker answers.",
    advice: "Each has ended, and is started again. If it lasts, look for `a worker has ended`.",
    page: "scale.md#several-processes",
  },
  starting: {
    name: "starting",
    sentence: "The service is starting.",
    advice: "Nothing. Only `/readyz` says so; a request of the network waits 5 s, then gets 503.",
  },
  stopping: {
    name: "stopping",
    sentence: "The service is stopping.",
    advice: "Nothing.",
  },
} as const satisfies Readonly<Record<string, Reason>>;

/** Something that is wrong now. */
export interface Wrong {
  readonly name: ReasonName;
  readonly sentence: string;
  readonly advice: string;
}

const adviceOf = ({ advice, page }: Reason): string =>
  page === undefined ? advice : `${advice} See docs/operating/${page}.`;

/** The sentence of a reason with its values in their order. */
export function wrong(id: keyof typeof REASONS, ...values: readonly (string | number)[]): Wrong {
  const reason: Reason = REASONS[id];
  const rest = [...values];
  const sentence = reason.sentence.replaceAll("…", () => String(rest.shift() ?? ""));
  return { name: reason.name, sentence, advice: adviceOf(reason) };
}

/** A sentence that another part of the service says, with the advice of its reason. */
export function wrongAs(name: ReasonName, sentence: string): Wrong {
  const own = Object.values<Reason>(REASONS).filter((reason) => reason.name === name);
  const found = own.find((reason) => sentence.startsWith(reason.sentence.split("…")[0] ?? ""));
  return { name, sentence, advice: found === undefined ? "" : adviceOf(found) };
}

/** The rows of docs/operating/monitor.md; a sentence that two probes say stands there once. */
export function reasonRows(): readonly string[] {
  const rows = Object.values<Reason>(REASONS).map(({ sentence, advice, page }) => {
    const link = page === undefined ? "" : ` [${titleOf(page)}](${page})`;
    return `| \`${sentence}\` | ${link === "" ? advice.replace(/\.$/, "") : advice}${link} |`;
  });
  return ["| Reason in `/healthz` or `/readyz` | What to do |", "|---|---|", ...new Set(rows)];
}

/** The words of an anchor: `The clock`. */
function titleOf(page: string): string {
  const [file = "", heading = file.replace(/\.md$/, "")] = page.split("#");
  const words = heading.replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
