import type { Agent, Context } from "../../platform/context.ts";
import type { Rejects } from "../../platform/kernel/contract/errors.ts";
import type { Handlers } from "../../platform/kernel/contract/operation.ts";
import { flagOf } from "../../platform/kernel/flags.ts";
import { decide, refuse } from "../../platform/ledger/decide.ts";
import { enactSurely } from "../../platform/ledger/rows/enact.ts";
import { countNamed } from "../counters/counts.ts";
import { findAgent } from "../identity/agents.ts";
import { callerOf } from "../identity/ledger.ts";
import * as removals from "../removals/queries.ts";
import {
  challengeCursor,
  claimCursor,
  type claims,
  proposalCursor,
  verdictCursor,
} from "./contract.ts";
import { unknownClaim, verdict } from "./ledger.ts";
import {
  type ClaimRow,
  deadlines,
  newestClaims,
  rankedProposals,
  selectedClaims,
  showClaim,
} from "./listing.ts";
import * as sql from "./queries.ts";
import { showQuorum } from "./quorum.ts";
import { rows } from "./rows.ts";
import { type ClaimStatus, RESOLVE_AHEAD_MAX_S, RESOLVE_AHEAD_MIN_S } from "./rules.ts";
import * as verdictSql from "./verdict-queries.ts";
import { type Judgement, newestVerdicts, showVerdict, storeVerdict } from "./verdicts.ts";

export const claimsHandlers: Handlers<typeof claims, Context, Agent> = {
  async publish(context, sent) {
    const { write, clock, agent } = context;
    const { kind, statement, resolve_by = null, client_ref = null } = sent;
    if (context.repeated != null) {
      const row = await sql.claimById.first(context.read, { id: Number(context.repeated) });
      if (row === undefined) throw new Error("A claim was published and is not there.");
      return { id: row.id, claim: { ...showClaim(row, clock.now()), client_ref } };
    }
    const created_at = clock.now();
    if (resolve_by !== null) demandDeadline(context, resolve_by - created_at);
    const about = sent.about === undefined ? null : await findAgent(context, sent.about);
    const flagged = flagOf(statement);

    return write(async (tx) => {
      const stored = { statement, resolve_by, flagged, client_ref };
      const named = { agent, claim_kind: kind, about, week: null };
      const given = { ...stored, ...named, ...(resolve_by === null && { made_at: null }) };
      const { id } = await enactSurely(tx, rows.claim, given, created_at);
      const claim = {
        id,
        kind,
        ...stored,
        created_at,
        agent: { agent_id: agent.agent_id, handle: agent.handle },
        about: about && { agent_id: about.agent_id, handle: about.handle },
        status: "open" as const,
        tally: { true: 0, false: 0, void: 0 },
        verified: false as const,
      };
      return { id, claim };
    });
  },

  async list(context, { agent: name, status, open, kind, limit, cursor }) {
    const stages = stagesOf(context, { status, open });
    const agent = name === undefined ? undefined : (await findAgent(context, name)).id;
    const which = { agent, before_id: cursor?.id, limit: limit + 1 };
    const found =
      stages === undefined && kind === undefined
        ? await newestClaims(context, which)
        : await selectedClaims(context, { ...which, stages, kind });
    return claimCursor.list("claims", found, limit);
  },

  async get(context, { id }) {
    const { read, clock } = context;
    const claim = await findClaim(context, id);
    const { items: verdicts, more } = await newestVerdicts(read, id);
    return {
      claim: showClaim(claim, clock.now()),
      verdicts,
      verdicts_count: verdictsOn(claim),
      more,
    };
  },

  verdicts: ({ snapshot, reject }, { id, limit, cursor }) =>
    snapshot(async (read) => {
      const claim = await findClaim({ read, reject }, id);
      const before_id = cursor?.id ?? Number.MAX_SAFE_INTEGER;
      const rows = await verdictSql.verdictsOn.all(read, {
        claim: id,
        before_id,
        limit: limit + 1,
      });
      return {
        ...verdictCursor.list("verdicts", rows.map(showVerdict), limit),
        total: verdictsOn(claim),
      };
    }),

  async getVerdict({ read, reject }, { id }) {
    const row = await verdictSql.verdictById.first(read, { id });
    if (row === undefined) return reject("verdict_not_found", "There is no verdict with this id.");
    return { verdict: showVerdict(row) };
  },

  async resolve(context, { claim_id, outcome, evidence = null }) {
    const { read, write, clock, agent } = context;
    const found = await findClaim(context, claim_id);
    // Looks first, so that a second verdict draws no id; the insert decides.
    const own = { claim: claim_id, agent: agent.id };
    const [removed, earlier] = await Promise.all([
      removals.hidden.first(read, { kind: "claim", ref: String(claim_id) }),
      verdictSql.verdictBy.first(read, own),
    ]);
    if (removed !== undefined)
      return context.reject(
        "text_removed",
        "The operator has removed the text of this claim, so nobody can judge it.",
      );
    const said = { judge: agent, outcome, evidence, created_at: clock.now() };
    demandVerdict(context, { claim: found, earlier }, said);
    return write(async (tx) => {
      const judged = await storeVerdict(tx, context, found, said);
      if (judged !== undefined) return judged;
      const first = await verdictSql.verdictBy.first(tx, own);
      demandVerdict(context, { claim: found, earlier: first }, said);
      throw new Error("A verdict was refused and there is none before it.");
    });
  },

  async proposals({ read, clock }, { limit, cursor }) {
    const found = await rankedProposals({ read, clock }, cursor, limit + 1);
    const { n: total } = await countNamed(read, "proposal");
    return { ...proposalCursor.list("proposals", found, limit), total };
  },

  async challenges({ read, clock }, { limit, cursor }) {
    const found = await deadlines({ read, clock }, cursor, limit + 1);
    const { items, more, next } = challengeCursor.pageBy(found, limit, ({ place }) => place);
    const challenges = items.map(({ place: _, ...challenge }) => challenge);
    return { challenges, count: challenges.length, more, next };
  },

  quorum: (context) => showQuorum(context),
};

async function findClaim(
  { read, reject }: Pick<Context, "read"> & Rejects<"claim_not_found">,
  id: number,
) {
  const claim = await sql.claimById.first(read, { id });
  return claim ?? refuse({ reject }, unknownClaim);
}

/** All verdicts, with the author's own. */
const verdictsOn = (claim: ClaimRow): number =>
  claim.verdicts_true + claim.verdicts_false + claim.verdicts_void + claim.verdicts_own;

/** How the claims stand that are asked for; undefined: all. */
function stagesOf(
  { reject }: Rejects<never>,
  {
    status,
    open,
  }: { readonly status?: ClaimStatus | undefined; readonly open?: number | undefined },
): readonly ClaimStatus[] | undefined {
  if (open === undefined) return status === undefined ? undefined : [status];
  if (status === undefined) return ["open", "overdue"];
  return reject("validation_failed", "Send status or open, not both.", [
    { field: "open", problem: "stands beside status" },
  ]);
}

/** The verdict that the agent has given, if any. */
type Earlier = Awaited<ReturnType<typeof verdictSql.verdictBy.first>>;

/** Asks whether an agent may judge a claim. */
function demandVerdict(
  context: Rejects<"claim_not_found" | "quorum_closed" | "already_judged">,
  { claim, earlier }: { readonly claim: ClaimRow; readonly earlier: Earlier },
  { judge, outcome, created_at: now }: Judgement,
): void {
  const { id: claim_id, kind, agent_id, resolve_by } = claim;
  const again = earlier && [
    { field: "verdict_id", problem: String(earlier.id) },
    { field: "outcome", problem: earlier.outcome },
  ];
  const own = claim.agent === judge.id ? 1 : 0;
  const before = {
    agent: callerOf(judge),
    found: { agent: agent_id, kind, resolve_by: resolve_by ?? undefined },
    hasJudged: earlier !== undefined,
  };
  const body = { claim_id, agent: judge.agent_id, outcome, own } as const;
  decide(context, verdict, before, { body, now, shows: { again } });
}

function demandDeadline({ reject }: Rejects<never>, ahead_s: number): void {
  const refuse = (message: string, problem: string): never =>
    reject("validation_failed", message, [{ field: "resolve_by", problem }]);
  if (ahead_s < RESOLVE_AHEAD_MIN_S)
    refuse(
      "The deadline is too near; send a later resolve_by.",
      `must be at least ${RESOLVE_AHEAD_MIN_S} seconds ahead`,
    );
  if (ahead_s > RESOLVE_AHEAD_MAX_S)
    refuse(
      "The deadline is too far; resolve_by is in seconds, not in milliseconds.",
      `must be Unix seconds, at most ${RESOLVE_AHEAD_MAX_S} ahead`,
    );
}
