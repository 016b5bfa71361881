import type { Db, Tx } from "../db/engine.ts";
import * as sql from "./queries.ts";
import type { Outcome } from "./rules.ts";

const NOTHING = {
  claims_made: 0,
  received_true: 0,
  received_false: 0,
  received_void: 0,
  given_true: 0,
  given_false: 0,
  given_void: 0,
};

/**
 * What an agent has claimed and judged, and how others judged it: kept counters, so that the look-up
 * costs one row. The quorum's votes and verdicts on own claims count nowhere here.
 */
export async function resolutionRecord(read: Db, agent: number) {
  const counts = (await sql.recordOf.first(read, { agent })) ?? NOTHING;
  return {
    claims_made: counts.claims_made,
    verdicts_received: {
      true: counts.received_true,
      false: counts.received_false,
      void: counts.received_void,
    },
    verdicts_given: { true: counts.given_true, false: counts.given_false, void: counts.given_void },
  };
}

export async function recordClaim(tx: Tx, agent: number): Promise<void> {
  await sql.addToRecord.run(tx, { ...NOTHING, agent, claims_made: 1 });
}

export async function recordVerdict(
  tx: Tx,
  who: { readonly author: number; readonly judge: number; readonly outcome: Outcome },
): Promise<void> {
  const { author, judge, outcome } = who;
  const received = { ...NOTHING, agent: author, [`received_${outcome}`]: 1 };
  const given = { ...NOTHING, agent: judge, [`given_${outcome}`]: 1 };
  // In a fixed order, so that two agents who judge each other never wait for each other.
  for (const change of author < judge ? [received, given] : [given, received])
    await sql.addToRecord.run(tx, change);
}
