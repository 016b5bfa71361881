import * as z from "zod";
import { connect, type Network } from "../../client/client.ts";
import type { Connection } from "../../client/transport.ts";
import { hourOf } from "../../domains/coin/grants.ts";
import { contracts } from "../../domains/contracts.ts";
import { SINCE_LIMIT_MAX } from "../../domains/views/rules.ts";
import { type ChainRecord, type ChainSource, isRecord } from "../../verify/shapes.ts";
import { Stop, UNREADABLE } from "../command/stop.ts";
import { answerOf } from "./answer-of.ts";
import { coinAnswer, goalAnswer, kpiAnswer, marketAnswer, statsAnswer } from "./answers.ts";
import type { Claims } from "./claims.ts";
import { answerGroup, type Compared, compare, type Figures, flatten, isEqual } from "./figures.ts";
import type { Books } from "./replay.ts";
import { servedAnswers } from "./replayed/answers.ts";
import { type Reader, readerOf } from "./replayed/reading/reader.ts";
import type { SampleOptions } from "./replayed/reading/sample.ts";

const TIMEOUT_MS = 60_000;

/** One answer of the service, and the entries between which it was given. */
interface Claim {
  readonly path: string;
  readonly claimed: Figures;
  readonly from_id: number;
  readonly to_id: number;
  readonly recompute: (books: Books) => object;
  readonly untold: readonly string[];
}

/** What a running service shows. All of it is read before the chain is, which then has grown since. */
export async function serviceClaims(
  baseUrl: string,
  { token, ...sample }: ServiceOptions,
): Promise<Claims> {
  const connection = { baseUrl, timeout_ms: TIMEOUT_MS, token };
  const network = connect({ ...connection, token: undefined });
  const objects = servedAnswers(sample);
  const sealed = await answerOf(contracts.ledger.seals, network.seal.list({ limit: 1 }));
  const seals = { from_seq: sealed.head?.seq ?? 0, to_seq: 0 };
  const claims = await readClaims(network, seals);
  const to_id = Math.max(...claims.map((claim) => claim.to_id));
  const found = new Map<Claim, Compared[]>();

  /** An answer without a ledger id may be that of any entry in its time. */
  const compareClaim = (claim: Claim, books: Books): void => {
    const best = found.get(claim);
    if (best !== undefined && differing(best) === 0) return;
    const compared = compare(claim.claimed, flatten(claim.recompute(books)));
    if (best === undefined || differing(compared) < differing(best)) found.set(claim, compared);
  };

  return {
    whole(source) {
      seals.to_seq = source.header.head?.seq ?? 0;
      return withUnsealed(source, network, to_id);
    },
    async see(entry, books) {
      const { id } = entry;
      await objects.see(entry, books);
      for (const claim of claims)
        if (id >= claim.from_id && id <= claim.to_id) compareClaim(claim, books);
    },
    async compared(books, add) {
      const figures = claims.map((claim) => {
        if (!found.has(claim)) compareClaim(claim, books); // It names an entry that the ledger lacks.
        return answerGroup(claim.path, found.get(claim) ?? [], claim.untold);
      });
      const compared = await objects.compared(books, await openReader(connection), add);
      return { ...compared, groups: [...figures, ...compared.groups] };
    },
    close: objects.close,
  };
}

/** A service's objects, and on whose behalf they are read. */
export interface ServiceOptions extends SampleOptions {
  /** Of the agent whose own answers are compared, too. */
  readonly token: string | undefined;
}

/** Reads as fast as the service's rate limit allows. */
async function openReader(connection: Connection): Promise<Reader> {
  const network = connect(connection);
  const { limits } = await answerOf(LIMITS, network.views.limits({}));
  const value = limits.find(({ id }) => id === "rate_limit")?.value;
  const perMinute = typeof value === "number" && value > 0 ? value : null;
  const { agent_id } =
    connection.token === undefined
      ? { agent_id: null }
      : await answerOf({ ...contracts.views.me, output: SHAPES.me }, network.me.get({}));
  return readerOf(connection, { perMinute, agent_id });
}

/** The newest seal before the answers, and the newest when the walk began. */
interface Seals {
  readonly from_seq: number;
  readonly to_seq: number;
}

/** How many seals there were when so many were claimed. */
const sealsAt = ({ from_seq, to_seq }: Seals, claimed: number): number =>
  Math.min(Math.max(claimed, from_seq), to_seq);

const differing = (compared: readonly Compared[]): number =>
  compared.filter((figure) => !isEqual(figure)).length;

/**
 * The answers with as much of their shape as is used: a figure may be anything here, so that one
 * that no service could mean is still compared and named.
 */
const figure = z.unknown();
const LIMITS = {
  ...contracts.views.limits,
  output: z.object({ limits: z.array(z.object({ id: z.string(), value: z.unknown() })) }),
};
const SHAPES = {
  me: z.object({ agent_id: z.string() }),
  coin: z.object({
    supply: z.looseObject({ as_of_ledger_id: z.int() }),
    top_balances_public: z.array(z.object({ agent_id: z.string(), balance: figure })),
    hour_began_at: z.int(),
    granted_today: figure,
    rewards_last_24h: figure,
    reward_pool_days_left: figure,
  }),
  goal: z.looseObject({ as_of: z.int() }),
  kpi: z.looseObject({}),
  stats: z.looseObject({ seals: z.int() }),
  market: z.object({
    totals: figure,
    reserves: z.object({ owed_raw: figure }),
    as_of_ledger_id: z.int(),
  }),
};

/** The coin first and the market last: both include their ledger id, and the others are read in between. */
async function readClaims(network: Network, seals: Seals): Promise<Claim[]> {
  const { coin, views, market } = contracts;
  const { supply, top_balances_public, hour_began_at, ...pace } = await answerOf(
    { ...coin.get, output: SHAPES.coin },
    network.coin.get({}),
  );
  const goal = await answerOf({ ...views.goal, output: SHAPES.goal }, network.views.goal({}));
  const kpi = await answerOf({ ...views.kpi, output: SHAPES.kpi }, network.views.kpi({}));
  const stats = await answerOf({ ...views.stats, output: SHAPES.stats }, network.views.stats({}));
  const { as_of_ledger_id, ...sums } = await answerOf(
    { ...market.ledger, output: SHAPES.market },
    network.market.ledgerList({ limit: 1 }),
  );
  const balances = top_balances_public.map((row) => [row.agent_id, row.balance]);
  const between = { from_id: supply.as_of_ledger_id, to_id: as_of_ledger_id, untold: [] };
  return [
    {
      ...between,
      path: "/coin",
      claimed: flatten({
        supply,
        balance: Object.fromEntries(balances),
        ...pace,
      }),
      to_id: supply.as_of_ledger_id,
      recompute: (books) => coinAnswer(books, hourOf(hour_began_at)),
    },
    {
      ...between,
      path: "/goal",
      claimed: flatten(without(goal, ["ok", "note", "as_of", "where_to_send"])),
      recompute: (books) => goalAnswer(books, goal.as_of),
    },
    {
      ...between,
      path: "/kpi",
      claimed: flatten(without(kpi, ["ok", "note", "as_of"])),
      recompute: kpiAnswer,
    },
    {
      ...between,
      path: "/stats",
      claimed: flatten(without(stats, ["ok", "as_of", ...UNTOLD])),
      recompute: (books) => ({ ...statsAnswer(books), seals: sealsAt(seals, stats.seals) }),
      untold: UNTOLD,
    },
    {
      ...between,
      path: "/market/ledger",
      claimed: flatten({ ...sums, as_of_ledger_id }),
      from_id: as_of_ledger_id,
      recompute: marketAnswer,
    },
  ];
}

/** Figures of private objects, which the ledger must not record. */
const UNTOLD = ["agents_seen_7d", "direct_messages", "reports"];

const without = (answer: Readonly<Record<string, unknown>>, names: readonly string[]): object =>
  Object.fromEntries(Object.entries(answer).filter(([name]) => !names.includes(name)));

function withUnsealed(source: ChainSource, network: Network, to_id: number): ChainSource {
  async function* records(): AsyncGenerator<ChainRecord> {
    let last_id = 0;
    for await (const record of source.records) {
      if (record.type === "entry") last_id = record.id;
      yield record;
    }
    while (last_id < to_id) {
      const limit = Math.min(SINCE_LIMIT_MAX, to_id - last_id);
      const query = { after_id: last_id, limit, with: "entry" } as const;
      const { entries } = await answerOf(contracts.views.since, network.changes.since(query));
      const next = entries.at(-1)?.id ?? 0;
      for (const entry of entries) {
        const record = { ...entry, type: "entry" };
        if (!isRecord(record)) throw new Stop(UNREADABLE, "An entry lacks what was asked for.");
        yield record;
      }
      if (next <= last_id) return; // The comparison reports that some are missing.
      last_id = next;
    }
  }
  return { ...source, records: records() };
}
