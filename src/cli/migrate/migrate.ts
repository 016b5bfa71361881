import * as z from "zod";
import type { OldEntries } from "../../db/migrate.ts";
import { CorruptEntry } from "../../kernel/proof/packed.ts";
import { withOldEntries } from "../../main/storage/old-entries.ts";
import { command, type Outcome } from "../command/command.ts";
import { countedLong } from "../command/counted.ts";
import { REFUSED, Stop } from "../command/stop.ts";
import { rowMeter } from "../transfer/row-meter.ts";

/** An entry is not what its leaf says. */
const DAMAGED = 3;

/** Less than half of what two idle cores with SQLite move: 57,000 (decision 62). */
const MOVED_PER_S = 25_000;

export const migrate = command({
  name: "migrate",
  summary: "bring the database up to this version before it is served",
  about: `Brings the schema up to date and the entries of the ledger into the form in which this version
stores them. Without --yes it prints what there is to do: entries, time, and disk. \`cairn serve\` does the
same when it starts, up to a million entries. Stop all nodes first and make a backup: it is the only way
back. The next run continues one that ended early.`,
  input: z.object({
    yes: z.boolean().optional().describe("migrate, instead of printing the plan"),
  }),
  opens: "database",
  changes: ({ yes }) => yes === true,
  exits: {
    0: "done, or the plan was printed",
    1: "refused or failed",
    2: "wrong usage",
    3: "an entry is not what its leaf says; what came before it is moved",
  },
  run: ({ values: { yes }, configuration }) =>
    withOldEntries(configuration, async (old) => {
      const plan = planFor(old);
      if (yes !== true) return printed(plan);
      const { free_bytes, needed_bytes } = plan;
      if (free_bytes !== null && free_bytes < needed_bytes)
        throw new Stop(
          REFUSED,
          `The disk has ${mib(free_bytes)} free, and this takes ${mib(needed_bytes)}. Nothing was changed.`,
        );
      return moved(old, plan);
    }),
});

interface Plan {
  readonly entries: number;
  readonly seconds: number;
  readonly needed_bytes: number;
  /** Null where the disk is another server's. */
  readonly free_bytes: number | null;
}

const planFor = ({ entries, needed_bytes, free_bytes }: OldEntries): Plan => ({
  entries,
  seconds: Math.ceil(entries / MOVED_PER_S),
  needed_bytes,
  free_bytes,
});

function printed(plan: Plan): Outcome {
  const { entries, seconds, needed_bytes, free_bytes } = plan;
  const free = free_bytes === null ? "look how much the server has" : `${mib(free_bytes)} are free`;
  const text =
    entries === 0
      ? "No entry is in the form of an earlier version."
      : `${countedLong(entries, "entry")} to move: about ${seconds} s, and ${mib(needed_bytes)} of disk (${free}). Nothing was changed; \`cairn migrate --yes\` does it.`;
  return { text, facts: { ...plan, moved: 0 } };
}

async function moved(old: OldEntries, plan: Plan): Promise<Outcome> {
  const meter = rowMeter(plan.entries);
  try {
    await old.move(meter.report);
    const text =
      plan.entries === 0
        ? "The database is up to date."
        : `${meter.end()}. The database is up to date.`;
    return { text, facts: { ...plan, moved: plan.entries } };
  } catch (error) {
    if (!(error instanceof CorruptEntry)) throw error;
    throw new Stop(
      DAMAGED,
      `Entry ${error.ledger_id} is not what its leaf says: restore a backup that verifies. It and what follows it were not moved.`,
      error,
    );
  } finally {
    meter.end();
  }
}

const mib = (bytes: number): string => `${Math.ceil(bytes / 1024 ** 2).toLocaleString("en")} MiB`;
