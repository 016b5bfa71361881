import type * as z from "zod";
import type { Agent, Context } from "../../platform/context.ts";
import type { Db, Tx } from "../../platform/db/engine.ts";
import {
  boundOf,
  cutInSteps,
  type Page,
  PROSE_CHARACTER_MAX_BYTES,
} from "../../platform/kernel/contract/page.ts";
import { append } from "../../platform/ledger/append.ts";
import { sha256Hex } from "../../platform/ledger/sha256.ts";
import { grantReward, noReward } from "../coin/rewards.ts";
import type { claims } from "./contract.ts";
import * as entries from "./entries.ts";
import { type ClaimRow, tallyOf } from "./listing.ts";
import { duesOf, type Outcome, SAYS_SOMETHING, VERDICTS_SHOWN_MAX } from "./rules.ts";
import * as sql from "./verdict-queries.ts";

type Judged = z.output<(typeof claims)["resolve"]["output"]>;

type Verdict = Judged["verdict"];

type Row = Awaited<ReturnType<typeof sql.verdictsOn.all>>[number];

/** A verdict as every answer shows it. */
export const showVerdict = ({ agent_id, handle, own, ...verdict }: Row): Verdict => ({
  ...verdict,
  agent: { agent_id, handle },
  own: own === 1,
  verified: false,
});

/** The newest verdicts on a claim, newest first. */
export const newestVerdicts = (read: Db, claim: number): Promise<Page<Verdict>> =>
  cutInSteps(VERDICTS_SHOWN_MAX, async (limit, last) => {
    const before_id = last?.id ?? Number.MAX_SAFE_INTEGER;
    const rows = await sql.verdictsOn.all(read, { claim, before_id, limit });
    const items = rows.map(showVerdict);
    return { items, bound_bytes: boundOf(items, PROSE_CHARACTER_MAX_BYTES) };
  });

/** A verdict as its agent gives it. */
export interface Judgement {
  readonly judge: Agent;
  readonly outcome: Outcome;
  readonly evidence: string | null;
  readonly created_at: number;
}

/** Stores a verdict and all that follows from it; undefined when this agent has judged the claim. */
export async function storeVerdict(
  tx: Tx,
  context: Context,
  claim: ClaimRow,
  { judge, ...said }: Judgement,
): Promise<Judged | undefined> {
  const own = claim.agent === judge.id;
  const facts = { claim: claim.id, agent: judge.id, ...said, own: own ? 1 : 0 };
  const row = await sql.insertVerdict.first(tx, facts);
  if (row === undefined) return undefined;
  const { outcome, evidence } = said;
  append(tx, entries.verdict, {
    verdict_id: row.id,
    claim_id: claim.id,
    agent: judge.agent_id,
    outcome,
    own: own ? 1 : 0,
    evidence_sha256: evidence === null ? undefined : sha256Hex(evidence),
    made_at: claim.kind === "quorum" ? said.created_at : undefined,
  });

  const tally = own
    ? await sql.countOwnVerdict.first(tx, { id: claim.id })
    : await sql.countVerdict(tx, { ...JUDGING[claim.stage], id: claim.id, ...ONE[outcome] });
  if (tally === undefined) throw new Error("A claim was judged and is not there.");

  const { author, judge: forJudge } = duesOf(claim, {
    id: row.id,
    own,
    evidence: evidence !== null && SAYS_SOMETHING.test(evidence) ? evidence : null,
    isFirst: tally.verdicts_true + tally.verdicts_false + tally.verdicts_void === 1,
  });
  const { agent_id, handle } = judge;
  return {
    id: row.id,
    verdict: {
      id: row.id,
      claim_id: claim.id,
      agent: { agent_id, handle },
      ...said,
      own,
      verified: false,
    },
    tally: tallyOf(tally),
    rewards: await pay(tx, context, [
      { for: "author", agent: { id: claim.agent, agent_id: claim.agent_id }, ...author },
      { for: "judge", agent: judge, ...forJudge },
    ]),
  };
}

/** Judged is a stage that no claim leaves. */
const JUDGING = { open: { stage: "judged" }, overdue: { stage: "judged" }, judged: {} } as const;

const ONE = {
  true: { true: 1, false: 0, void: 0 },
  false: { true: 0, false: 1, void: 0 },
  void: { true: 0, false: 0, void: 1 },
} as const;

interface Due {
  readonly for: "author" | "judge";
  readonly agent: { readonly id: number; readonly agent_id: string };
  readonly source: string;
  readonly refusal: Parameters<typeof noReward>[0] | null;
}

/** Pays in the order of the agents, so that two who judge each other never wait for each other. */
async function pay(tx: Tx, context: Context, dues: readonly Due[]): Promise<Judged["rewards"]> {
  const paid: Judged["rewards"] = [];
  for (const { for: to, agent, source, refusal } of dues.toSorted(byAgent)) {
    const act = { agent, why: "claim_judged", source, isFirst: true } as const;
    const reward = refusal === null ? await grantReward(tx, context, act) : noReward(refusal);
    paid.push({ for: to, ...reward });
  }
  return paid.sort((a, b) => (a.for < b.for ? -1 : 1));
}

const byAgent = (a: Due, b: Due): number => a.agent.id - b.agent.id;
