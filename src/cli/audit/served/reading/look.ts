import { setTimeout as pause } from "node:timers/promises";
import type { Compared } from "../../figures.ts";
import type { Rule, Shown } from "../compare/rule.ts";
import { MISSING, type Seen, seenIn } from "../compare/seen.ts";
import type { Ledger } from "../ledger.ts";
import { type Answered, eachOf, REFUSED } from "./reader.ts";

/** One question to the service, and how its answer is compared. */
export interface Question {
  /** Under which the report names what differs. */
  readonly route: string;
  readonly asked: Shown;
  readonly rule: Rule<never>;
  readonly read: () => Promise<Answered>;
}

/** What one answer comes to. */
export interface Looked {
  readonly question: Question;
  readonly seen: Seen;
  readonly differing: readonly Compared[];
}

/** The ledger of the service, as far as it was read. */
export interface Growing {
  readonly ledger: Ledger;
  readonly me: string | null;
  /** The service's clock. */
  readonly now: () => number;
  /** Reads newer entries; reports after each one. */
  readonly readOn: (after: () => void) => Promise<void>;
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
export async function lookAt(
  questions: readonly Question[],
  growing: Growing,
): Promise<readonly Looked[]> {
  const looked = new Map<Question, Looked>();
  await eachOf(questions, async (question) => {
    looked.set(question, compare(question, await question.read(), growing));
  });
  let isWrong: boolean = false;
  for (const some of chunksOf([...looked.values()].filter(differs), AGAIN_MAX)) {
    // Enough is known: what was not read again is no finding.
    const again: readonly Looked[] = isWrong
      ? some.map((each) => ({ ...each, differing: [] }))
      : await settle(some);
    for (const each of again) looked.set(each.question, each);
    isWrong ||= again.some(differs);
  }
  return [...looked.values()];

  async function settle(some: readonly Looked[]): Promise<readonly Looked[]> {
    let left = some;
    const settled = new Map(some.map((each) => [each.question, each]));
    for (let round = 0; round < ROUNDS && left.length > 0; round++) {
      const head = growing.ledger.books.lastId();
      const read = round < TOGETHER ? together : oneByOne;
      const again: readonly Looked[] = await read(left, growing);
      for (const each of again) settled.set(each.question, each);
      left = again.filter(differs);
      // Where nothing was written meanwhile, another look shows the same.
      if (round > 0 && growing.ledger.books.lastId() === head) break;
    }
    return [...settled.values()];
  }
}

const differs = ({ differing }: Looked): boolean => differing.length > 0;

function compare(question: Question, answer: Answered, { ledger, me, now }: Growing): Looked {
  const seen = seenIn();
  const { rule, asked } = question;
  const facts = { ledger, me, row: null, of: answer.body, asked, now: now(), bytes: answer.bytes };
  const isRefused = Object.hasOwn(answer.body, REFUSED);
  const isHidden = rule.isHidden?.(facts) ?? false;
  if (isRefused !== isHidden) seen.compare("answer", answer.body[REFUSED] ?? "shown", MISSING);
  else if (!isRefused) rule.see?.(answer.body, facts, seen, "");
  return { question, seen, differing: [...seen.differing.values()] };
}

/** Reads answers again, and the ledger after all of them. */
async function together(some: readonly Looked[], growing: Growing): Promise<readonly Looked[]> {
  const answers = new Map<Question, Answered>();
  await growing.readOn(() => {});
  await eachOf(some, async ({ question }) => {
    answers.set(question, await question.read());
  });
  const first = new Map(
    [...answers].map(([question, answer]) => [question, compare(question, answer, growing)]),
  );
  await pause(SEQUENCED_MS);
  await growing.readOn(() => {});
  return [...answers].map(([question, answer]) => {
    const last = compare(question, answer, growing);
    const before = first.get(question)?.seen.differing;
    return { ...last, differing: last.differing.filter(({ name }) => before?.has(name)) };
  });
}

/** Reads each answer again, and the ledger after it, entry by entry. */
async function oneByOne(some: readonly Looked[], growing: Growing): Promise<readonly Looked[]> {
  const again: Looked[] = [];
  for (const { question } of some) {
    const answer = await question.read();
    let left = new Set(compare(question, answer, growing).seen.differing.keys());
    const meet = () => {
      if (left.size > 0)
        left = left.intersection(compare(question, answer, growing).seen.differing);
    };
    await pause(SEQUENCED_MS);
    await growing.readOn(meet);
    const last = compare(question, answer, growing);
    again.push({ ...last, differing: last.differing.filter(({ name }) => left.has(name)) });
  }
  return again;
}

const chunksOf = <T>(all: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, i) =>
    all.slice(i * size, (i + 1) * size),
  );
