import * as z from "zod";
import type { Db, Tx } from "../db/engine.ts";
import type { Projector } from "../ledger/sequence.ts";
import * as sql from "./record-queries.ts";
import { OUTCOMES } from "./rules.ts";

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

const claimBody = z.object({ claim_id: z.int(), claim_kind: z.string() });
const verdictBody = z.object({
  verdict_id: z.int(),
  outcome: z.enum(OUTCOMES),
  own: z.int(),
});

/** Whose counter goes up by one. */
type Count = readonly [agent: number, counter: keyof typeof NOTHING];

/** What an entry counts for whom, told from the rows that it names. */
const RULES: Readonly<Record<string, (tx: Tx, body: unknown) => Promise<readonly Count[]>>> = {
  claim: async (tx, body) => {
    const { claim_id: id, claim_kind } = claimBody.parse(body);
    const claim = claim_kind === "quorum" ? undefined : await sql.authorOf.first(tx, { id });
    return claim === undefined ? [] : [[claim.agent, "claims_made"]];
  },

  verdict: async (tx, body) => {
    const { verdict_id: id, outcome, own } = verdictBody.parse(body);
    const parties = own === 1 ? undefined : await sql.partiesOf.first(tx, { id });
    if (parties === undefined || parties.kind === "quorum") return [];
    return [
      [parties.author, `received_${outcome}`],
      [parties.judge, `given_${outcome}`],
    ];
  },
};

/**
 * Keeps the records, one change per agent and batch. It is here and not in the writes themselves,
 * because the writes of one busy agent would then wait for each other.
 */
export const recordProjector: Projector = async (tx, entries) => {
  const counts = await Promise.all(
    entries.map(({ kind, body }) => RULES[kind]?.(tx, JSON.parse(body)) ?? []),
  );
  const records = new Map<number, typeof NOTHING>();
  for (const [agent, counter] of counts.flat()) {
    const record = records.get(agent) ?? { ...NOTHING };
    record[counter]++;
    records.set(agent, record);
  }
  for (const [agent, record] of records) await sql.addToRecord.run(tx, { ...record, agent });
};
