import assert from "node:assert/strict";
import { test } from "node:test";
import { planOf } from "../../../test/plan.ts";
import { openTestService } from "../../../test/service.ts";
import type { Db } from "../../platform/db/engine.ts";
import * as sql from "./own-queries.ts";

const of = { agent: 1, limit: 50 } as const;
const all = {
  ...of,
  after_at: 9,
  after_id: 9,
  since: 1,
  withAnswers: true,
  withMessages: true,
} as const;

/** A part of the plan, and what is asked. */
const LISTS: readonly (readonly [string, (db: Db) => Promise<unknown>])[] = [
  ["request_of_agent (agent=?)", (db) => sql.ownRequests.all(db, of)],
  [
    "request_of_agent (agent=? AND status_at>? AND status_at<?)",
    (db) => sql.ownRequests.all(db, all),
  ],
  [
    "request_of_agent_by_status (agent=? AND status=?)",
    (db) => sql.ownRequests.all(db, { ...of, status: "withdrawn", withdrawn_by: "operator" }),
  ],
  [
    "request_of_agent_by_context (agent=? AND context_id=?)",
    (db) => sql.ownRequests.all(db, { ...of, context_id: "c" }),
  ],
  ["COVERING INDEX", (db) => sql.ownTotal.all(db, of)],
];

test("every list of own requests is a range of an index, in its order", async () => {
  const service = await openTestService("sqlite", "plans of own requests");
  try {
    for (const [part, ask] of LISTS) {
      const plan = await planOf(service.service.context.read, ask);
      assert.ok(plan.includes(part), `${part} in ${plan}`);
      assert.doesNotMatch(plan, /TEMP B-TREE|SCAN r/, plan);
    }
  } finally {
    await service.close();
  }
});
