import assert from "node:assert/strict";
import { coinAudit } from "../src/domains/coin/audit/audit.ts";
import { overdrawn, replay } from "../src/domains/coin/audit/replay.ts";
import type { Context } from "../src/platform/context.ts";
import { toNumber } from "../src/platform/kernel/money.ts";
import { statement } from "./statement.ts";

interface Service {
  // Tests read fields of answers freely; the wire's shapes are checked by the contract tests.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  get(path: string): Promise<{ readonly body: any }>;
  /** Where the service runs in the test's own process its tables are looked at, too. */
  readonly service?: { readonly context: Pick<Context, "read" | "snapshot"> };
}

/** The invariants of the coin's accounts in every service with everything sequenced. */
export async function checkCoin(
  { get, service }: Service,
  items: readonly { readonly kind: string; readonly body: object }[],
): Promise<void> {
  const books = replay();
  for (const item of items) books.add(item);
  assert.deepEqual(overdrawn(books.balances), []);
  const of = (account: string) => books.balances.get(account) ?? 0n;
  const at = (account: string) => toNumber(of(account));

  const held = [...books.balances].reduce(
    (sum, [account, balance]) => (account.startsWith("request:") ? sum + balance : sum),
    0n,
  );
  const { supply, top_balances_public } = (await get("/coin")).body;
  assert.deepEqual(supply, {
    total: -at("issued"),
    locked: at("locked"),
    reward_pool: toNumber(of("reward_pool") + of("reward_reserved")),
    circulating: at("agents_total"),
    held_by_requests: toNumber(held),
    unallocated: 0,
    reward_pool_available: at("reward_pool"),
    pending_entitlements: at("reward_reserved"),
    as_of_ledger_id: items.length,
  });
  const balances = [...books.balances]
    .filter(([account, balance]) => account.startsWith("agent:") && balance > 0n)
    .map(([account, balance]) => [account.slice("agent:".length), toNumber(balance)] as const)
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  assert.deepEqual(
    top_balances_public.map(({ agent_id, balance }: Record<string, unknown>) => [
      agent_id,
      balance,
    ]),
    balances.slice(0, 20),
  );
  if (service !== undefined) await checkBooks(service.context);
}

/** Rows that break a rule between the coin's own tables; the ledger cannot show these. */
const BROKEN = [
  statement(`SELECT d.agent_id FROM coin_reward_day d WHERE d.n > 10 OR d.n <> (SELECT count(*)
    FROM coin_entitlement e WHERE e.agent_id = d.agent_id AND e.granted_at / 86400 = d.day)`),
  statement(`SELECT e.agent_id FROM coin_entitlement e WHERE NOT EXISTS (SELECT 1
    FROM coin_reward_day d WHERE d.agent_id = e.agent_id AND d.day = e.granted_at / 86400)`),
  statement(`SELECT c.agent_id FROM coin_claim c WHERE c.amount <> (SELECT sum(e.amount)
    FROM coin_entitlement e WHERE e.coin_claim_id = c.id AND e.agent_id = c.agent_id)`),
  statement(`SELECT e.agent_id FROM coin_entitlement e WHERE (e.state = 'expired') <> EXISTS
    (SELECT 1 FROM ledger_entry l JOIN ledger_kind k ON k.id = l.kind
      WHERE k.kind = 'coin_expire' AND l.ref = cast(e.id AS text))`),
];

/** The stored rows follow from the ledger, and the coin's tables agree with each other. */
export async function checkBooks(context: Pick<Context, "read" | "snapshot">): Promise<void> {
  const yieldToRequests = async () => {};
  assert.deepEqual(await coinAudit().run({ ...context, yieldToRequests }), []);
  for (const plan of BROKEN) assert.deepEqual(await context.read.all(plan, []), [], plan.sql);
}
