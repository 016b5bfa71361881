import { contracts } from "../../../contracts.ts";
import { addEntries, chainStart, contentsAfter } from "../../../kernel/proof/chain.ts";
import { sha256 } from "../../../ledger/sha256.ts";
import { storedEntry } from "../../../verify/entry-check.ts";
import { type EntryRecord, isEntry } from "../../../verify/shapes.ts";
import { SINCE_LIMIT_MAX } from "../../../views/rules.ts";
import { Stop, UNREADABLE } from "../../command/stop.ts";
import type { Comparison } from "../claims.ts";
import { type Group, NAMED_MAX } from "../figures.ts";
import type { Books } from "../replay.ts";
import { isShown } from "./compare/rule.ts";
import { type Ledger, ledgerOf } from "./ledger.ts";
import { notCompared, questionsOf } from "./questions.ts";
import { type Looked, lookAt } from "./reading/look.ts";
import type { Reader } from "./reading/reader.ts";
import { type SampleOptions, sampleOf } from "./reading/sample.ts";

/** Takes in an entry that was read after all others. */
export type Add = (entry: EntryRecord) => void;

/** Tables whose rows are read one by one. */
const BY_ID = ["repository", "app", "claim", "request", "task", "agent"] as const;

/** Every object that a service shows, compared with what the entries make. */
export function servedObjects(options: SampleOptions) {
  let ledger: Ledger | null = null;
  const grown = (books: Books): Ledger => {
    ledger ??= ledgerOf(books);
    return ledger;
  };
  return {
    see: (entry: EntryRecord, books: Books) => grown(books).add(entry),

    /** Reads and compares them; what came meanwhile is added. */
    async compared(books: Books, reader: Reader, add: Add): Promise<Comparison> {
      const read = grown(books);
      const total = BY_ID.reduce((sum, table) => sum + read.names(table).length, 0);
      const sample = sampleOf(options, total);
      const growing = {
        me: reader.agent_id,
        ledger: read,
        now: await clockOf(reader),
        readOn: readsOn(books, reader, add),
      };
      const looked = await lookAt(questionsOf(read, sample, reader), growing);
      const groups = [...Map.groupBy(looked, ({ question }) => question.route)].map(groupOf);
      return {
        groups,
        notCompared: notCompared(reader.agent_id !== null),
        newerKinds: read.newer,
        drawn: sample.isDrawn() ? options : null,
      };
    },
  };
}

/** The service's clock, which goes on as ours does. */
async function clockOf(reader: Reader): Promise<() => number> {
  const { body } = await reader.read(contracts.views.kpi, {});
  const [as_of, began_ms] = [Number(body["as_of"]), performance.now()];
  return () => Math.floor(as_of + (performance.now() - began_ms) / 1_000);
}

function groupOf([name, looked]: readonly [string, readonly Looked[]]): Group {
  const sum = (of: (each: Looked) => number) => looked.reduce((total, each) => total + of(each), 0);
  const figures = looked.flatMap(({ question, differing }) =>
    differing.map((figure) => ({ ...figure, name: `${nameOf(question.asked)}${figure.name}` })),
  );
  return {
    name,
    compared: sum(({ seen }) => seen.counts().compared),
    unequal: figures.length,
    figures: figures.slice(0, NAMED_MAX),
    untold: [],
    objects: sum(({ seen }) => seen.counts().objects),
    older: sum(({ seen }) => seen.counts().older),
    newer: [...new Set(looked.flatMap(({ seen }) => [...seen.newerFields]))].slice(0, NAMED_MAX),
  };
}

/** Which object was asked for. */
const nameOf = ({ id, task_id, agent_id }: Looked["question"]["asked"]): string => {
  const named = id ?? task_id ?? agent_id;
  return named === undefined ? "" : `${named}: `;
};

/** Reads the ledger on to its end; each entry is hashed, although no seal vouches for it yet. */
function readsOn(books: Books, reader: Reader, add: Add) {
  return async (after: () => void): Promise<void> => {
    for (;;) {
      const after_id = books.lastId();
      const asked = { after_id, limit: SINCE_LIMIT_MAX, with: "entry" };
      const { body } = await reader.read(contracts.views.since, asked);
      const shown = Array.isArray(body["entries"]) ? body["entries"].filter(isShown) : [];
      const entries = shown.map((entry): EntryRecord => {
        if (!isEntry(entry)) throw new Stop(UNREADABLE, "An entry lacks what was asked for.");
        return { ...entry, type: "entry" };
      });
      demandSound(entries, { next_id: after_id + 1, at: books.lastAt() });
      for (const entry of entries) {
        add(entry);
        after();
      }
      if (entries.length < SINCE_LIMIT_MAX) return;
    }
  };
}

const HASHED = contentsAfter(chainStart("", null));

/** A Stop when entries are not those that follow. */
function demandSound(entries: readonly EntryRecord[], from: { next_id: number; at: number }): void {
  const [finding] = addEntries({ ...HASHED, ...from }, entries.map(storedEntry), sha256).findings;
  if (finding !== undefined) throw new Stop(UNREADABLE, `The ledger read on: ${finding.reason}.`);
}
