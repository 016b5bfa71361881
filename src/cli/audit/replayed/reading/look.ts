import { setTimeout as pause } from "node:timers/promises";
import type { Compared } from "../../figures.ts";
import type { Shown } from "../lists.ts";
import { NOTHING_SEEN, type Seen, together } from "../seen.ts";
import { type Answered, eachOf } from "./reader.ts";

/** One question to the service, and how its answer is compared. */
export interface Question {
  /** Under which the report names what differs. */
  readonly route: string;
  readonly asked: Shown;
  readonly read: () => Promise<Answered>;
  /** With what the ledger makes by now. */
  readonly compare: (answer: Answered) => Promise<Seen>;
  /** The question that its answer leads to: for the next page. */
  readonly next?: (answer: Answered, seen: Seen) => Question | null;
}

/** A question whose answer differs, as it was looked at last. */
interface Looked {
  readonly question: Question;
  readonly seen: Seen;
  readonly differing: readonly Compared[];
}

/** The answers that were looked at. */
export interface LookedAt {
  /** All answers that were right at once, by their routes. */
  readonly right: ReadonlyMap<string, Seen>;
  /** The others, whatever became of them. */
  readonly again: readonly Looked[];
}

/** The ledger of the service, as far as it was read. */
export interface Growing {
  readonly lastId: () => number;
  /** Reads newer entries; reports after each one. */
  readonly readOn: (after: (() => Promise<void>) | null) => Promise<void>;
}

/** How often what differs is read again; at first all of it together. */
const ROUNDS = 5;
const TOGETHER = 2;

/** Answers that are read again together: where so many are wrong, no more have to be known. */
const AGAIN_MAX = 1_000;

/** A committed entry gets its ledger id a moment later. */
const SEQUENCED_MS = 200;

/**
 * Compares answers with what the ledger makes. An answer is newer than the ledger that was read
 * before it: what differs is read again, the ledger after it, and it is a difference only when it
 * was right at no entry in between, again and again.
 */
export async function lookAt(questions: Iterable<Question>, growing: Growing): Promise<LookedAt> {
  const right = new Map<string, Seen>();
  const looked = new Map<Question, Looked>();
  await eachOf(questions, async (first) => {
    for (let question: Question | null = first; question !== null; ) {
      const answer: Answered = await question.read();
      const seen = await question.compare(answer);
      const { route } = question;
      if (seen.differing.size === 0)
        right.set(route, together(right.get(route) ?? NOTHING_SEEN, seen));
      else looked.set(question, { question, seen, differing: [...seen.differing.values()] });
      question = question.next?.(answer, seen) ?? null;
    }
  });
  let isWrong: boolean = false;
  for (const some of chunksOf([...looked.values()], AGAIN_MAX)) {
    // Enough is known: what was not read again is no finding.
    const again: readonly Looked[] = isWrong
      ? some.map((each) => ({ ...each, differing: [] }))
      : await settle(some);
    for (const each of again) looked.set(each.question, each);
    isWrong ||= again.some(differs);
  }
  return { right, again: [...looked.values()] };

  async function settle(some: readonly Looked[]): Promise<readonly Looked[]> {
    let left = some;
    const settled = new Map(some.map((each) => [each.question, each]));
    for (let round = 0; round < ROUNDS && left.length > 0; round++) {
      const head = growing.lastId();
      const read = round < TOGETHER ? allTogether : oneByOne;
      const again: readonly Looked[] = await read(left, growing);
      for (const each of again) settled.set(each.question, each);
      left = again.filter(differs);
      // Where nothing was written meanwhile, another look shows the same.
      if (round > 0 && growing.lastId() === head) break;
    }
    return [...settled.values()];
  }
}

const differs = ({ differing }: Looked): boolean => differing.length > 0;

/** The figures that differ in all of several comparisons, as the last one says it. */
const inAll = (last: Seen, names: ReadonlySet<string>): readonly Compared[] =>
  [...last.differing.values()].filter(({ name }) => names.has(name));

const namesIn = ({ differing }: Seen): ReadonlySet<string> => new Set(differing.keys());

/** Reads answers again, and the ledger after all of them. */
async function allTogether(some: readonly Looked[], growing: Growing): Promise<readonly Looked[]> {
  const first = new Map<Question, { readonly answer: Answered; readonly seen: Seen }>();
  await growing.readOn(null);
  await eachOf(some, async ({ question }) => {
    const answer = await question.read();
    first.set(question, { answer, seen: await question.compare(answer) });
  });
  await pause(SEQUENCED_MS);
  await growing.readOn(null);
  const again: Looked[] = [];
  for (const [question, { answer, seen: before }] of first) {
    const seen = await question.compare(answer);
    again.push({ question, seen, differing: inAll(seen, namesIn(before)) });
  }
  return again;
}

/** Reads each answer again, and the ledger after it, entry by entry. */
async function oneByOne(some: readonly Looked[], growing: Growing): Promise<readonly Looked[]> {
  const again: Looked[] = [];
  for (const { question } of some) {
    const answer = await question.read();
    let left = namesIn(await question.compare(answer));
    await pause(SEQUENCED_MS);
    await growing.readOn(async () => {
      if (left.size > 0) left = left.intersection(namesIn(await question.compare(answer)));
    });
    const seen = await question.compare(answer);
    again.push({ question, seen, differing: inAll(seen, left) });
  }
  return again;
}

const chunksOf = <T>(all: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, i) =>
    all.slice(i * size, (i + 1) * size),
  );
