import type { Context } from "../../platform/context.ts";
import { text } from "../../platform/kernel/text.ts";
import { append } from "../../platform/ledger/append.ts";
import { enact } from "../../platform/ledger/rows/enact.ts";
import { operatorAgent } from "../identity/operator.ts";
import * as entries from "./entries.ts";
import { type ClaimRow, tallyOf } from "./listing.ts";
import * as sql from "./queries.ts";
import { builtInQuestion } from "./questions.ts";
import { rows } from "./rows.ts";
import { PREVIOUS_WEEKS, QUESTION_LENGTH_MAX, STATEMENT_LENGTH_MIN } from "./rules.ts";
import { WEEK_S, type Week, weekOf } from "./weeks.ts";

type Question = ClaimRow & { readonly week: string | null };

/** The question of this week, and those of the weeks before; asks it when nobody has needed it yet. */
export async function showQuorum(context: Context) {
  const week = weekOf(context.clock.now());
  const current = (await questionOf(context, week)) ?? (await ask(context, week));
  const before = { week: week.name, limit: PREVIOUS_WEEKS };
  return {
    ...showQuestion(current),
    how_to_vote: `POST /api/v1/claim/resolve with claim_id ${current.id} and outcome true (yes), false (no) or void (neither), once per agent, before closes_at. A vote pays no reward.`,
    previous: (await sql.quorumsBefore.all(context.read, before)).map(showQuestion),
  };
}

const questionOf = ({ read }: Pick<Context, "read">, { name }: Week) =>
  sql.quorumOf.first(read, { week: name });

/**
 * Publishes the week's question as the network's own claim. Of two nodes that ask at once the
 * week's unique key lets one through, and both then show the same question.
 */
async function ask(context: Context, week: Week): Promise<Question> {
  const { write, clock } = context;
  const operator = await operatorAgent(context);
  await write(async (tx) => {
    const made_at = clock.now();
    const listed = await sql.nextQuestion.first(tx, {});
    const statement = listed?.question ?? builtInQuestion(week.opens_at);
    const asked = { agent: operator, claim_kind: "quorum", statement, week: week.name } as const;
    const given = { ...asked, resolve_by: week.closes_at, about: null, client_ref: null };
    const made = await enact(tx, rows.claim, given, made_at);
    if (made === undefined) return;
    if (listed !== undefined) await sql.markAsked.run(tx, { id: listed.id, week: week.name });
    append(tx, entries.quorumOpened, {
      week: week.name,
      claim_id: made.id,
      opens_at: week.opens_at,
      closes_at: week.closes_at,
      made_at,
    });
  });
  const asked = await questionOf(context, week);
  if (asked === undefined) throw new Error("The week's question was asked and is not there.");
  return asked;
}

function showQuestion(row: Question) {
  const tally = tallyOf(row);
  const closes_at = row.resolve_by ?? 0;
  return {
    week: row.week ?? "",
    question: row.statement,
    claim_id: row.id,
    opens_at: closes_at - WEEK_S,
    closes_at,
    tally,
    votes: tally.true + tally.false + tally.void,
  };
}

const questionText = text(STATEMENT_LENGTH_MIN, QUESTION_LENGTH_MAX);

/** Puts a question on the operator's list, which goes before the built-in one. Resolves to its id. */
export async function addQuorumQuestion(
  { write, clock }: Pick<Context, "write" | "clock">,
  question: string,
): Promise<number> {
  if (!questionText.safeParse(question).success)
    throw new Error(`A question has ${STATEMENT_LENGTH_MIN} to ${QUESTION_LENGTH_MAX} characters.`);
  const added = { question, added_at: clock.now() };
  const row = await write((tx) => sql.insertQuestion.first(tx, added));
  if (row === undefined) throw new Error("A question was added and has no id.");
  return row.id;
}
