import assert from "node:assert/strict";
import { test } from "node:test";
import { planOf } from "../../../test/plan.ts";
import { openTestService } from "../../../test/service.ts";
import type { Db } from "../../platform/db/engine.ts";
import * as sql from "./queries.ts";
import * as verdictSql from "./verdict-queries.ts";

const of = { kind: "claim", now: 1, limit: 20 } as const;

/** A part of the plan, and what is asked. */
const LISTS: readonly (readonly [string, (db: Db) => Promise<unknown>])[] = [
  ["SCAN c", (db) => sql.newestClaims.all(db, { limit: 20 })],
  ["claim_by_agent (", (db) => sql.newestClaims.all(db, { agent: 1, limit: 20 })],
  ["claim_by_kind (", (db) => sql.claimsAtStage.all(db, { ...of, stage: "open" })],
  [
    "claim_by_agent_and_kind (",
    (db) => sql.claimsAtStage.all(db, { ...of, agent: 1, stage: "open" }),
  ],
  ["claim_proposals (", (db) => sql.proposals.all(db, { limit: 20 })],
  [
    "claim_proposals (kind=? AND verdicts_true=? AND verdicts_false=? AND id<",
    (db) => sql.proposals.all(db, { endorsements: 1, rejections: 1, before_id: 9, limit: 20 }),
  ],
  [
    "claim_proposals (kind=? AND verdicts_true=? AND verdicts_false>",
    (db) => sql.proposals.all(db, { endorsements: 1, rejections_above: 1, limit: 20 }),
  ],
  [
    "claim_proposals (kind=? AND verdicts_true<",
    (db) => sql.proposals.all(db, { endorsements_below: 1, limit: 20 }),
  ],
  [
    "claim_challenges (kind=? AND resolve_by>",
    (db) => sql.challengesAhead.all(db, { after: 1, limit: 20 }),
  ],
  [
    "claim_challenges (kind=? AND resolve_by=? AND id>",
    (db) => sql.challengesAhead.all(db, { at: 1, id: 1, limit: 20 }),
  ],
  [
    "claim_challenges (kind=? AND resolve_by<",
    (db) => sql.challengesPast.all(db, { before: 1, limit: 20 }),
  ],
  [
    "claim_challenges (kind=? AND resolve_by=? AND id<",
    (db) => sql.challengesPast.all(db, { at: 1, id: 1, limit: 20 }),
  ],
  [
    "verdict_by_claim (",
    (db) => verdictSql.verdictsOn.all(db, { claim: 1, before_id: 9, limit: 20 }),
  ],
  ["(week<", (db) => sql.quorumsBefore.all(db, { week: "2027-W01", limit: 4 })],
  ["(asked_week=?)", (db) => sql.nextQuestion.all(db, {})],
];

test("every list of claims is a range of an index, in its order", async () => {
  const service = await openTestService("sqlite", "plans");
  const { read } = service.service.context;
  try {
    for (const [part, ask] of LISTS) {
      const plan = await planOf(read, ask);
      assert.ok(plan.includes(part), `${part} in ${plan}`);
      assert.doesNotMatch(plan, /TEMP B-TREE/, plan);
    }
    for (const agent of [{}, { agent: 1 }]) {
      const due = await planOf(read, (db) => sql.claimsDue.all(db, { ...of, ...agent }));
      assert.match(due, /claim_due \(resolve_by</);
    }
    const any = await planOf(read, (db) => sql.anyDue.all(db, of));
    assert.match(any, /claim_due \(resolve_by</);
  } finally {
    await service.close();
  }
});
