import type { Db, Tx } from "../../platform/db/engine.ts";
import { entriesOf, type PlacedEntry } from "../../platform/kernel/contract/entry-kind.ts";
import { app } from "../apps/entries.ts";
import { claim, verdict } from "../claims/entries.ts";
import { post } from "../feed/entries.ts";
import { agentOwn } from "../identity/entries.ts";
import { repo, repoCommit } from "../repositories/entries.ts";
import { requestAnswer } from "../requests/entries.ts";
import { taskPass } from "../tasks/entries.ts";
import * as sql from "./queries.ts";

type Tally = NonNullable<Awaited<ReturnType<typeof sql.tallyOf.first>>>;
type Figure = Exclude<keyof Tally, "agent_id" | "own">;

/** The kinds of delivered work (spec: KPI): neither registrations nor statements. */
export const WORKS = ["repo", "repo_commit", "app", "answered_request", "passed_task"] as const;
const FIGURES: readonly Figure[] = [...WORKS, "claim", "verdict"];

/** The counter of what the operator's own agents did of a figure; posts are counted for them only. */
export const ownCounter = (name: Figure | "post" | "worker"): string => `own_${name}`;

const NOTHING = {
  repo: 0,
  repo_commit: 0,
  app: 0,
  answered_request: 0,
  passed_task: 0,
  claim: 0,
  verdict: 0,
};

const marks = entriesOf({ agentOwn });
const posts = entriesOf({ post });
const worked = entriesOf({ repo, repoCommit, app, verdict, claim, requestAnswer, taskPass });

type Worked = ReturnType<typeof worked>[number];

/** The figure that an entry raises by one, if it does; `firsts` are those that count, of two kinds. */
function figureOf(entry: Worked, firsts: ReadonlySet<Worked>): Figure | null {
  switch (entry.kind) {
    case "claim": // The week's question is the network's.
      return entry.body.claim_kind === "quorum" ? null : "claim";
    case "request_answer":
      return firsts.has(entry) ? "answered_request" : null;
    case "task_pass":
      return firsts.has(entry) ? "passed_task" : null;
    default:
      return entry.kind;
  }
}

/** The first answer of each agent to another's request, and its first pass of each task. */
async function firstsOf(tx: Tx, entries: readonly Worked[]): Promise<ReadonlySet<Worked>> {
  const answers = new Map<string, readonly [Worked, { name: string; ref: number }]>();
  const passes = new Map<number, Worked>();
  for (const entry of entries) {
    if (entry.kind === "task_pass") passes.set(Number(entry.ref), entry);
    if (entry.kind !== "request_answer") continue;
    if (entry.body.sort !== undefined) continue; // A question or a decline is no answer.
    const row = { name: `answered_by ${entry.body.agent}`, ref: entry.body.request_id };
    const key = JSON.stringify(row);
    if (!answers.has(key)) answers.set(key, [entry, row]);
  }
  const counted = await sql.countOnce(
    tx,
    [...answers.values()].map(([, row]) => row),
  );
  const ids = [...passes.keys()];
  const passed = ids.length === 0 ? [] : await sql.passedOf.all(tx, { ids: JSON.stringify(ids) });
  const isFirst = new Set(counted.map(({ name, ref }) => JSON.stringify({ name, ref })));
  return new Set([
    ...[...answers].flatMap(([key, [entry]]) => (isFirst.has(key) ? [entry] : [])),
    ...passed.flatMap(({ id }) => passes.get(id) ?? []),
  ]);
}

/** Adds to the figures of agents, and resolves to what they are then. */
async function addFigures(tx: Tx, sums: readonly Tally[]): Promise<(agent_id: string) => Tally> {
  await sql.addToTallies(tx, sums);
  const agents = JSON.stringify(sums.map(({ agent_id }) => agent_id));
  const rows = sums.length === 0 ? [] : await sql.talliesOf.all(tx, { agents });
  const after = new Map(rows.map((row) => [row.agent_id, row]));
  return (agent_id) => {
    const row = after.get(agent_id);
    if (row === undefined) throw new Error("An agent's figures were kept and are not there.");
    return row;
  };
}

/** Changes of counters, by name. */
type Changes = Map<string, number>;

const change = (changes: Changes, name: string, n: number): void =>
  void changes.set(name, (changes.get(name) ?? 0) + n);

/**
 * Keeps the figures of each agent and the mark of the operator's own, in ledger order, and reports
 * what that changes in the counters. Posts are far more than all else, so of them only those of the
 * operator's own agents are counted, of which there are few or none.
 */
export async function tallyAgents(tx: Tx, entries: readonly PlacedEntry[]): Promise<Changes> {
  const changes: Changes = new Map();
  let begin = 0;
  for (const mark of marks(entries)) {
    const at = entries.findIndex(({ ledger_id }) => ledger_id === mark.ledger_id);
    await tally(tx, entries.slice(begin, at), changes);
    await turn(tx, mark, changes);
    begin = at + 1;
  }
  await tally(tx, entries.slice(begin), changes);
  return changes;
}

async function tally(tx: Tx, entries: readonly PlacedEntry[], changes: Changes): Promise<void> {
  const added = new Map<string, Tally>();
  const done = worked(entries);
  const firsts = await firstsOf(tx, done);
  for (const entry of done) {
    const figure = figureOf(entry, firsts);
    if (figure === null) continue;
    const { agent: agent_id } = entry.body;
    const sum = added.get(agent_id) ?? { agent_id, own: 0, ...NOTHING };
    sum[figure]++;
    added.set(agent_id, sum);
  }
  const afterOf = await addFigures(tx, [...added.values()]);
  for (const sum of added.values()) {
    const after = afterOf(sum.agent_id);
    const isNewWorker = works(after) > 0 && works(after) === works(sum);
    count(changes, { ...sum, own: after.own }, { sign: 1, workers: isNewWorker ? 1 : 0 });
    for (const name of ["answered_request", "passed_task"] as const)
      change(changes, name, sum[name]);
    change(changes, "worker", isNewWorker ? 1 : 0);
  }
  await countOwnPosts(tx, entries, changes);
}

const works = (of: Tally): number => WORKS.reduce((sum, name) => sum + of[name], 0);

/** Adds figures to those of the operator's own agents, where they are such an agent's. */
function count(
  changes: Changes,
  of: Tally,
  { sign, workers }: { readonly sign: 1 | -1; readonly workers: number },
): void {
  if (of.own === 0) return;
  for (const name of FIGURES) change(changes, ownCounter(name), sign * of[name]);
  change(changes, ownCounter("worker"), sign * workers);
}

async function countOwnPosts(
  tx: Tx,
  entries: readonly PlacedEntry[],
  changes: Changes,
): Promise<void> {
  const said = posts(entries);
  if (said.length === 0) return;
  const own = new Set((await sql.ownAgents.all(tx, {})).map(({ agent_id }) => agent_id));
  if (own.size === 0) return;
  change(changes, ownCounter("post"), said.filter(({ body }) => own.has(body.agent)).length);
}

/** An agent becomes the operator's own, or is no more: all that it did before changes sides. */
async function turn(
  tx: Tx,
  { body: { agent: agent_id, own }, ledger_id }: ReturnType<typeof marks>[number],
  changes: Changes,
): Promise<void> {
  const of = (await addFigures(tx, [{ agent_id, own: 0, ...NOTHING }]))(agent_id);
  if (of.own === own) return;
  await sql.markTally.run(tx, { agent_id, own });
  const posts = await sql.postsBefore.first(tx, { agent_id, ledger_id });
  const sign = own === 1 ? 1 : -1;
  count(changes, { ...of, own: 1 }, { sign, workers: works(of) > 0 ? 1 : 0 });
  change(changes, ownCounter("post"), sign * (posts?.n ?? 0));
}

/** What an agent has done, as of the last entry that has its id. */
export async function tallyOf(
  read: Db,
  agent_id: string,
): Promise<Readonly<Record<Figure, number>>> {
  return (await sql.tallyOf.first(read, { agent_id })) ?? NOTHING;
}
