import { setTimeout as pause } from "node:timers/promises";
import type { Compared } from "../figures.ts";
import type { Ledger } from "./ledger.ts";
import { type Answered, eachOf, REFUSED } from "./reader.ts";
import type { Rule, Shown } from "./rule.ts";
import { MISSING, type Seen, seenIn } from "./seen.ts";

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
  /** Reads what came since; tells after each entry. */
  readonly readOn: (after: () => void) => Promise<void>;
}

/** How often what differs is read again. */
const ROUNDS = 3;

/** What is committed has its place in the ledger a moment later. */
const SEQUENCED_MS = 100;

/**
 * Compares answers with what the ledger makes. An answer is newer than the ledger that was read
 * before it: what differs is read again, the ledger after it, and it is a difference only when it
 * was right at no entry in between, three times.
 */
export async function lookAt(
  questions: readonly Question[],
  { ledger, me, now, readOn }: Growing,
): Promise<readonly Looked[]> {
  const looked = new Map<Question, Looked>();
  const compare = (question: Question, answer: Answered): Looked => {
    const seen = seenIn();
    const { rule, asked } = question;
    const facts = {
      ledger,
      me,
      row: null,
      of: answer.body,
      asked,
      now: now(),
      bytes: answer.bytes,
    };
    if (Object.hasOwn(answer.body, REFUSED)) seen.compare("answer", answer.body[REFUSED], MISSING);
    else rule.see?.(answer.body, facts, seen, "");
    return { question, seen, differing: [...seen.differing.values()] };
  };

  const again = async (question: Question): Promise<void> => {
    const answer = await question.read();
    const first = compare(question, answer);
    let left = new Set(first.differing.map(({ name }) => name));
    const meet = () => {
      if (left.size > 0) left = left.intersection(compare(question, answer).seen.differing);
    };
    await pause(SEQUENCED_MS);
    await readOn(meet);
    const last = compare(question, answer);
    const differing = [...first.differing, ...last.differing].filter(
      ({ name }, i, all) => left.has(name) && all.findIndex((each) => each.name === name) === i,
    );
    looked.set(question, { ...last, differing });
  };

  await eachOf(questions, async (question) => {
    looked.set(question, compare(question, await question.read()));
  });
  const differing = () => [...looked.values()].filter((each) => each.differing.length > 0);
  if (differing().length > 0) await readOn(() => {});
  for (let round = 0; round < ROUNDS; round++)
    for (const { question } of differing()) await again(question);
  return [...looked.values()];
}
