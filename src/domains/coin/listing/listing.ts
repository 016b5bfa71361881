import type * as z from "zod";
import type { Db } from "../../../platform/db/engine.ts";
import { fieldsIn } from "../../../platform/kernel/contract/entry-kind.ts";
import { micro } from "../../../platform/kernel/money.ts";
import type { Seconds } from "../../../platform/kernel/time.ts";
import { bodiesOf } from "../../../platform/ledger/entry-bodies.ts";
import type { coin } from "../contract.ts";
import * as entries from "../entries.ts";
import { COIN_KINDS, type CoinKind, idsIn, type RequestKind, stateAt } from "../rules.ts";
import * as sql from "./queries.ts";

type CoinEntry = z.output<typeof coin.ledger.output>["entries"][number];
type Page = (read: Db, which: sql.Which, now: Seconds) => Promise<CoinEntry[]>;

/** Moves of rewards: into a request, and out of it to the agent of an answer or back to the asker. */
async function movesOf(kind: RequestKind, read: Db, which: sql.Which) {
  const rows = await sql.rewardMoves[kind].all(read, which);
  return rows.map((row) => {
    const asker = { agent_id: row.agent_id, handle: row.handle };
    const { to_agent, to_handle } = row;
    const paid = to_agent === null ? asker : { agent_id: to_agent, handle: to_handle };
    const isPaid = kind === "request_accepted";
    return {
      ...placed(row),
      request_id: row.request_id,
      from: kind === "request" || isPaid ? asker : null,
      to: kind === "request" ? null : isPaid ? paid : asker,
      amount: micro<"coin">(row.amount),
    };
  });
}

/** One query per kind; each row already says what its entry shows. */
const PAGES: Readonly<Record<CoinKind, Page>> = {
  coin_reward: async (read, which, now) =>
    (await sql.rewardEntries.all(read, which)).map((row) => ({
      kind: "coin_reward",
      ...showEntitled(row, now),
    })),

  coin_expire: async (read, which, now) =>
    (await sql.expiryEntries.all(read, which)).map((row) => ({
      kind: "coin_expire",
      ...showEntitled(row, now),
    })),

  coin_claim: async (read, which) => {
    const rows = await sql.claimEntries.all(read, which);
    const bodyOf = await bodiesOf(
      read,
      rows.map(({ ledger_id }) => ledger_id),
    );
    return rows.map((row) => ({
      kind: "coin_claim",
      ...placed(row),
      agent: { agent_id: row.agent_id, handle: row.handle },
      amount: micro(row.amount),
      entitlement_ids: idsIn(
        fieldsIn(entries.coinClaim, bodyOf.get(row.ledger_id), "entitlements").entitlements,
      ),
    }));
  },

  coin_transfer: async (read, which) =>
    (await sql.transferEntries.all(read, which)).map((row) => ({
      kind: "coin_transfer",
      ...placed(row),
      from: { agent_id: row.from_agent, handle: row.from_handle },
      to: { agent_id: row.to_agent, handle: row.to_handle },
      amount: micro(row.amount),
      memo: row.memo,
      verified: false,
    })),

  request: async (read, which) =>
    (await movesOf("request", read, which)).map((row) => ({ kind: "request", ...row })),
  request_accepted: async (read, which) =>
    (await movesOf("request_accepted", read, which)).map((row) => ({
      kind: "request_accepted",
      ...row,
    })),
  request_closed: async (read, which) =>
    (await movesOf("request_closed", read, which)).map((row) => ({
      kind: "request_closed",
      ...row,
    })),
  request_withdrawn: async (read, which) =>
    (await movesOf("request_withdrawn", read, which)).map((row) => ({
      kind: "request_withdrawn",
      ...row,
    })),
};

/** The newest coin entries before `before_id`, of one kind and one agent when given. */
export async function coinEntries(
  read: Db,
  { kind, ...which }: sql.Which & { readonly kind?: CoinKind | undefined },
  now: Seconds,
): Promise<CoinEntry[]> {
  const kinds = kind === undefined ? COIN_KINDS : [kind];
  const pages = await Promise.all(kinds.map((each) => PAGES[each](read, which, now)));
  return pages
    .flat()
    .sort((a, b) => b.id - a.id)
    .slice(0, which.limit);
}

/** A transfer as its own page shows it; its sender's mark is nobody else's. */
export const showTransfer = (
  row: NonNullable<Awaited<ReturnType<typeof sql.transferById.first>>>,
) => ({
  id: row.id,
  from: { agent_id: row.from_agent, handle: row.from_handle },
  to: { agent_id: row.to_agent, handle: row.to_handle },
  amount: micro<"coin">(row.amount),
  memo: row.memo,
  created_at: row.created_at,
  verified: false as const,
});

const placed = (row: {
  readonly ledger_id: number;
  readonly at: Seconds;
  readonly ref: string;
}) => ({ id: row.ledger_id, at: row.at, ref: row.ref });

const showEntitled = (
  row: Awaited<ReturnType<typeof sql.rewardEntries.all>>[number],
  now: Seconds,
) => ({
  ...placed(row),
  agent: { agent_id: row.agent_id, handle: row.handle },
  amount: micro<"coin">(row.amount),
  why: row.why,
  source: row.source,
  state: stateAt(row, now),
  matures_at: row.matures_at,
  expires_at: row.expires_at,
});
