import { contracts } from "../../../domains/contracts.ts";
import { ENTRY_KINDS } from "../../../domains/entries.ts";
import { SINCE_LIMIT_MAX } from "../../../domains/views/rules.ts";
import { addEntries, chainStart, contentsAfter } from "../../../platform/kernel/proof/chain.ts";
import { CLOCK_SLACK_S } from "../../../platform/ledger/rows/told.ts";
import { sha256 } from "../../../platform/ledger/sha256.ts";
import { storedEntry } from "../../../verify/entry-check.ts";
import { type EntryRecord, isEntry } from "../../../verify/shapes.ts";
import { Stop, UNREADABLE } from "../../command/stop.ts";
import type { Comparison } from "../claims.ts";
import { type Group, NAMED_MAX } from "../figures.ts";
import type { Books } from "../replay.ts";
import { type ReplayedBooks, replayedBooks } from "./books.ts";
import { compared } from "./compare.ts";
import { isShown, type Shown } from "./lists.ts";
import { pageQuestions } from "./pages.ts";
import { type Asked, questionsOf } from "./questions.ts";
import { type LookedAt, lookAt, type Question } from "./reading/look.ts";
import { type Answered, REFUSED, type Reader } from "./reading/reader.ts";
import { type Sample, type SampleOptions, sampleOf } from "./reading/sample.ts";
import { notCompared, UNTOLD } from "./routes.ts";
import { NOTHING_SEEN, refusedSeen, type Seen, together } from "./seen.ts";
import { type ReplayedServices, replayedServices } from "./service.ts";

/** Takes in an entry that was read after all others. */
export type Add = (entry: EntryRecord) => Promise<void>;

/** Tables whose rows are read one by one. */
const BY_ID = ["repository", "app", "claim", "request", "task", "agent"];

const KNOWN_KINDS: ReadonlySet<string> = new Set(ENTRY_KINDS.map(({ kind }) => kind));

/** Every answer of a service, compared with those that its own handlers give over the replayed rows. */
export function servedAnswers(options: SampleOptions) {
  let replayed: ReplayedBooks | null = null;
  const newer = new Map<string, number>();

  return {
    /** Told of every entry, after the books. */
    async see(entry: EntryRecord, books: Books): Promise<void> {
      const { kind } = entry;
      if (!KNOWN_KINDS.has(kind)) newer.set(kind, (newer.get(kind) ?? 0) + 1);
      replayed ??= await replayedBooks(books);
      await replayed.add(entry);
    },

    /** Reads and compares them; what came meanwhile is added. */
    async compared(books: Books, reader: Reader, add: Add): Promise<Comparison> {
      replayed ??= await replayedBooks(books);
      await replayed.settle();
      const [filled] = replayed.fillings;
      const total = BY_ID.reduce((sum, table) => sum + countIn(filled, table), 0);
      const sample = sampleOf(options, total);
      const asking = {
        reader,
        replayed,
        services: replayedServices(replayed.fillings, reader.address),
        now: await clockOf(reader),
        isNewer: () => newer.size > 0,
      };
      const looked = await lookAt(questionsTo(asking, sample), {
        lastId: books.lastId,
        readOn: readsOn(books, replayed, { reader, add }),
      });
      return {
        groups: groupsOf(looked),
        notCompared: notCompared(reader.agent_id !== null),
        drawn: sample.isDrawn() ? options : null,
      };
    },

    close(): void {
      replayed?.close();
    },
  };
}

const countIn = ({ connection }: ReplayedBooks["fillings"][0], table: string): number =>
  Number(connection.database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.["n"]);

interface Asking {
  readonly reader: Reader;
  readonly replayed: ReplayedBooks;
  readonly services: ReplayedServices;
  readonly now: () => number;
  readonly isNewer: () => boolean;
}

/** Pages that are read on from the first one of a list. */
const FURTHER_PAGES = 4;

function questionOf(question: Asked, asking: Asking, further = FURTHER_PAGES): Question {
  const { name, operation, asked } = question;
  return {
    route: operation.path,
    asked,
    read: () => asking.reader.read(operation, asked),
    compare: (answer) => seenAt(question, answer, asking),
    next({ body }, { differing }) {
      const { next } = body;
      const isFurther = further > 0 && typeof next === "string" && !CURSOR_OPEN.has(name);
      if (!isFurther || differing.size > 0 || asked["before_id"] !== undefined) return null;
      return questionOf({ ...question, asked: { ...asked, cursor: next } }, asking, further - 1);
    },
  };
}

/** Positions that hold a number of a row, or a time that is only nearly known. */
const CURSOR_OPEN: ReadonlySet<string> = new Set([
  "identity.directory",
  "repositories.list",
  "repositories.members",
]);

/**
 * The service's second is not ours: an answer may be that of a minute before or after, of which one second has
 * to make all of it. A figure that differs at the ends of that time and now differs all the time, as a rule.
 */
async function seenAt(question: Asked, answer: Answered, asking: Asking): Promise<Seen> {
  const now = asking.now();
  const at = (second: number) => seenOnce(question, answer, { ...asking, now: second });
  const seen = await at(now);
  const ends = [seen];
  for (const second of [now - CLOCK_SLACK_S, now + CLOCK_SLACK_S])
    if (ends.every(({ differing }) => differing.size > 0)) ends.push(await at(second));
  if (ends.some(({ differing }) => differing.size === 0)) return { ...seen, differing: NOTHING };
  const always = [...seen.differing].filter(([name]) =>
    ends.every((end) => end.differing.has(name)),
  );
  if (always.length > 0) return { ...seen, differing: new Map(always) };
  for (let second = now - CLOCK_SLACK_S; second < now + CLOCK_SLACK_S; second++)
    if ((await at(second)).differing.size === 0) return { ...seen, differing: NOTHING };
  return seen;
}

const NOTHING: Seen["differing"] = new Map();

async function seenOnce(
  { name, operation, asked, isOwn }: Asked,
  { body, bytes }: Answered,
  { reader, services, now, isNewer }: Omit<Asking, "now"> & { readonly now: number },
): Promise<Seen> {
  const made = await services.answers(name, asked, { now, me: isOwn ? reader.agent_id : null });
  const code = body[REFUSED];
  if (made.refused !== undefined || code !== undefined) return refusedSeen(code, made.refused);
  const untold = UNTOLD[name] ?? {};
  const { first, second, page } = made;
  return compared({ shown: body, first, second }, operation.output, {
    isUntold: (place) => Object.hasOwn(untold, place),
    bytes,
    page,
    isNewer: isNewer(),
  });
}

/** The service's clock, which goes on as ours does. */
async function clockOf(reader: Reader): Promise<() => number> {
  const { body } = await reader.read(contracts.views.kpi, {});
  const as_of = Number(body["as_of"]);
  const began_ms = performance.now();
  return () => Math.floor(as_of + (performance.now() - began_ms) / 1_000);
}

/** All questions, each made when it is its turn. */
function* questionsTo(asking: Asking, sample: Sample): Generator<Question> {
  const { reader, replayed } = asking;
  const [filled] = replayed.fillings;
  for (const asked of questionsOf(filled, sample, reader.agent_id)) yield questionOf(asked, asking);
  yield* pageQuestions(filled, sample, reader);
}

/** A group for each route. */
function groupsOf({ right, again }: LookedAt): readonly Group[] {
  const others = Map.groupBy(again, ({ question }) => question.route);
  return [...new Set([...right.keys(), ...others.keys()])].map((name) => {
    const looked = others.get(name) ?? [];
    const all = [right.get(name) ?? NOTHING_SEEN, ...looked.map(({ seen }) => seen)];
    const { compared, objects, open, newer } = all.reduce(together, NOTHING_SEEN);
    const figures = looked.flatMap(({ question, differing }) =>
      differing.map((figure) => ({ ...figure, name: `${nameOf(question.asked)}${figure.name}` })),
    );
    return {
      name,
      compared,
      unequal: figures.length,
      figures: figures.slice(0, NAMED_MAX),
      untold: [...open.keys()],
      objects,
      older: [...open.values()].reduce((total, n) => total + n, 0),
      newer: [...newer].slice(0, NAMED_MAX),
    };
  });
}

/** Which object was asked for. */
const nameOf = ({ id, task_id, agent_id }: Shown): string => {
  const named = id ?? task_id ?? agent_id;
  return named === undefined ? "" : `${named}: `;
};

/** Reads the ledger on to its end; each entry is hashed, although no seal vouches for it yet. */
function readsOn(
  books: Books,
  replayed: ReplayedBooks,
  { reader, add }: { readonly reader: Reader; readonly add: Add },
) {
  return async (after: (() => Promise<void>) | null): Promise<void> => {
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
        await add(entry);
        if (after === null) continue;
        await replayed.settle();
        await after();
      }
      if (entries.length < SINCE_LIMIT_MAX) break;
    }
    await replayed.settle();
  };
}

const HASHED = contentsAfter(chainStart("", null));

/** A Stop when entries are not those that follow. */
function demandSound(entries: readonly EntryRecord[], from: { next_id: number; at: number }): void {
  const [finding] = addEntries({ ...HASHED, ...from }, entries.map(storedEntry), sha256).findings;
  if (finding !== undefined) throw new Stop(UNREADABLE, `The ledger read on: ${finding.reason}.`);
}
