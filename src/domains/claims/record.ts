import type { Db, Tx } from "../../platform/db/engine.ts";
import { entriesOf } from "../../platform/kernel/contract/entry-kind.ts";
import type { Projector } from "../../platform/ledger/sequencing/sequence.ts";
import { claim, verdict } from "./entries.ts";
import * as sql from "./record-queries.ts";

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

const claimsAndVerdicts = entriesOf({ claim, verdict });

/** Whose counter goes up by one. */
type Count = readonly [agent: number, counter: keyof typeof NOTHING];

type Entry = ReturnType<typeof claimsAndVerdicts>[number];

/** Which agents entries count for, from the rows that they name. */
async function countsOf(tx: Tx, entries: readonly Entry[]): Promise<readonly Count[]> {
  const claims = entries.flatMap(({ kind, body }) =>
    kind === "claim" && body.claim_kind !== "quorum" ? [body.claim_id] : [],
  );
  const verdicts = entries.flatMap(({ kind, body }) =>
    kind === "verdict" && body.own !== 1 ? [body] : [],
  );
  const authors = claims.length === 0 ? [] : await sql.authorsOf.all(tx, idsIn(claims));
  const parties =
    verdicts.length === 0
      ? []
      : await sql.partiesOf.all(tx, idsIn(verdicts.map(({ verdict_id }) => verdict_id)));
  const outcomes = new Map(verdicts.map(({ verdict_id, outcome }) => [verdict_id, outcome]));
  return [
    ...authors.map(({ agent }): Count => [agent, "claims_made"]),
    ...parties.flatMap(({ id, kind, author, judge }): readonly Count[] => {
      const outcome = outcomes.get(id);
      if (outcome === undefined || kind === "quorum") return [];
      return [
        [author, `received_${outcome}`],
        [judge, `given_${outcome}`],
      ];
    }),
  ];
}

const idsIn = (ids: readonly number[]) => ({ ids: JSON.stringify(ids) });

/**
 * Keeps the records, one change per agent and batch. It is here and not in the writes themselves,
 * because the writes of one busy agent would then wait for each other.
 */
export const recordProjector: Projector = async (tx, entries) => {
  const records = new Map<number, typeof NOTHING>();
  for (const [agent, counter] of await countsOf(tx, claimsAndVerdicts(entries))) {
    const record = records.get(agent) ?? { ...NOTHING };
    record[counter]++;
    records.set(agent, record);
  }
  await sql.addToRecords(
    tx,
    [...records].map(([agent, record]) => ({ ...record, agent })),
  );
};
