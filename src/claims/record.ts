import type { Db, Tx } from "../db/engine.ts";
import { entriesOf } from "../kernel/contract/entry-kind.ts";
import type { Projector } from "../ledger/sequence.ts";
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

/** Which agents an entry counts for, from the rows that it names. */
async function countsOf(
  tx: Tx,
  { kind, body }: ReturnType<typeof claimsAndVerdicts>[number],
): Promise<readonly Count[]> {
  if (kind === "claim") {
    if (body.claim_kind === "quorum") return [];
    const author = await sql.authorOf.first(tx, { id: body.claim_id });
    return author === undefined ? [] : [[author.agent, "claims_made"]];
  }
  const { verdict_id: id, outcome, own } = body;
  const parties = own === 1 ? undefined : await sql.partiesOf.first(tx, { id });
  if (parties === undefined || parties.kind === "quorum") return [];
  return [
    [parties.author, `received_${outcome}`],
    [parties.judge, `given_${outcome}`],
  ];
}

/**
 * Keeps the records, one change per agent and batch. It is here and not in the writes themselves,
 * because the writes of one busy agent would then wait for each other.
 */
export const recordProjector: Projector = async (tx, entries) => {
  const counts = await Promise.all(claimsAndVerdicts(entries).map((entry) => countsOf(tx, entry)));
  const records = new Map<number, typeof NOTHING>();
  for (const [agent, counter] of counts.flat()) {
    const record = records.get(agent) ?? { ...NOTHING };
    record[counter]++;
    records.set(agent, record);
  }
  for (const [agent, record] of records) await sql.addToRecord.run(tx, { ...record, agent });
};
