import type * as z from "zod";
import { COIN_KINDS, type RequestKind, stateAt } from "../../../coin/rules.ts";
import type { contracts } from "../../../contracts.ts";
import { toNumber } from "../../../kernel/money.ts";
import { sha256Hex } from "../../../ledger/sha256.ts";
import { marketAnswer } from "../answers.ts";
import { flatten } from "../figures.ts";
import { SERVICE_TEXT, unverified } from "./board.ts";
import {
  askedLimit,
  before,
  countOf,
  listed,
  moreOf,
  nextPlace,
  ownId,
  page,
} from "./compare/list.ts";
import * as rule from "./compare/rule.ts";
import {
  agent,
  amount,
  type Facts,
  hashed,
  is,
  isShown,
  known,
  object,
  ofAgent,
  ofRow,
  type Shown,
} from "./compare/rule.ts";
import { MISSING, type Told } from "./compare/seen.ts";
import { type Ledger, newest } from "./ledger.ts";
import { SETTING } from "./money.ts";
import { word } from "./reading/clock.ts";

type Out<Operation extends { output: z.ZodObject }> = z.output<Operation["output"]>;

type MarketLedger = Out<typeof contracts.market.ledger>;

/** Sums of all orders, each under its name. */
const totals: rule.Rule<MarketLedger["totals"]> = {
  see(shown, { ledger }, seen, path) {
    const made = flatten(marketAnswer(ledger.books).totals);
    const claimed = flatten(shown ?? {});
    for (const name of new Set([...made.keys(), ...claimed.keys()]))
      seen.compare(`${path}.${name}`, claimed.get(name), made.get(name));
  },
};

/** Where the ledger ended when the answer was given. */
const head = known(({ ledger }) => ledger.books.lastId());

const YES_OR_NO: ReadonlySet<string> = new Set(["checked", "late", "redirected", "ends"]);

/** What an entry of an order says, in the words of an answer; a reason by its hash. */
function wordsOf(ledger: Ledger, ledger_id: number): ReadonlyMap<string, Told> | null {
  const entry = ledger.orders.get(ledger_id);
  if (entry === undefined) return null;
  const order = ledger.row("market_order", `order ${entry.body["order_id"]}`);
  const words = new Map<string, Told>();
  for (const [name, value] of Object.entries(entry.body)) {
    if (name === "buyer") words.set(name, order?.["buyer"]);
    else if (name === "seller" || name === "agent") words.set(name, order?.["seller"]);
    else if (YES_OR_NO.has(name)) words.set(name, value === 1);
    else if (name.endsWith("usd_micro"))
      words.set(name.replace("_micro", ""), toNumber(BigInt(value)));
    else words.set(name, value);
  }
  return words
    .set("id", entry.id)
    .set("at", entry.at)
    .set("kind", entry.kind)
    .set("ref", entry.ref);
}

const AGENTS: ReadonlySet<string> = new Set(["buyer", "seller", "agent"]);
const REASON = "reason_sha256";

/** An order's entry: its fields are those of its body. */
const orderEntry: rule.Rule<unknown> = {
  see(shown, facts, seen, path) {
    seen.object();
    const fields = isShown(shown) ? shown : {};
    const words = wordsOf(facts.ledger, Number(fields["id"]));
    if (words === null) return seen.compare(path, shown, MISSING);
    for (const name of new Set([...words.keys(), ...Object.keys(fields)])) {
      if (name === "reason" && words.has(REASON) && !Object.hasOwn(fields, REASON)) {
        seen.compare(`${path}.reason`, sha256Hex(`${fields[name]}`), words.get(REASON));
      } else if (name === REASON && Object.hasOwn(fields, "reason")) {
      } else if (AGENTS.has(name)) {
        const named = rule.ofAgent(() => words.get(name));
        named.see?.(fields[name], { ...facts, row: {} }, seen, `${path}.${name}`);
      } else if (words.has(name)) seen.compare(`${path}.${name}`, fields[name], words.get(name));
      else seen.newer(`entries.${name}`);
    }
  },
};

const orderEntries = {
  name: "entries",
  key: ownId,
  each: orderEntry,
  first: (facts: Facts, n: number) => newest(facts.ledger.orderIds, { ...before(facts), limit: n }),
  limit: askedLimit,
};

export const marketLedger = object<MarketLedger>({
  entries: listed(orderEntries),
  count: countOf("entries"),
  more: moreOf(orderEntries),
  next: nextPlace,
  totals,
  reserves: object<MarketLedger["reserves"]>({
    address: rule.untold(SETTING),
    owed_raw: known(({ ledger }) => marketAnswer(ledger.books).reserves.owed_raw),
    how_to_check: rule.untold(SERVICE_TEXT),
  }),
  as_of_ledger_id: head,
  note: rule.untold(SERVICE_TEXT),
});

type CoinEntry = Out<typeof contracts.coin.ledger>["entries"][number];
type RewardMove = Extract<CoinEntry, { kind: RequestKind }>;
type CoinEntryOf<Kind extends CoinEntry["kind"]> = Extract<CoinEntry, { kind: Kind }>;

const placed = (of: Facts) => of.ledger.coin.get(Number(of.of["id"]));

const PLACE = {
  id: known((facts) => placed(facts)?.id ?? "no entry of the coin"),
  at: known((facts) => placed(facts)?.at),
  kind: known((facts) => placed(facts)?.kind),
  ref: known((facts) => placed(facts)?.ref),
};

const COIN_STATES = ["pending", "matured", "credited", "expired"] as const;

/** The state of an entitlement, which follows from the clock until it is collected. */
export const entitlementState = word(COIN_STATES, ({ row }, now) => {
  const [matures_at, expires_at] = [Number(row["matures_at"]), Number(row["expires_at"])];
  const state = row["state"];
  const stored = state === "credited" || state === "expired" ? state : "live";
  return stateAt({ state: stored, matures_at, expires_at }, now);
});

const ENTITLED = {
  ...PLACE,
  agent: agent("agent_id"),
  amount: amount("amount"),
  why: is("why"),
  source: is("source"),
  state: entitlementState,
  matures_at: is("matures_at"),
  expires_at: is("expires_at"),
};

const byRef =
  (name: string) =>
  (shown: Shown, { ledger }: Facts) =>
    `${name} ${ledger.coin.get(Number(shown["id"]))?.ref}`;

/** The entitlements that were collected: so many, and each by this collection. */
const entitlementIds: rule.Rule<readonly number[]> = {
  see(shown, { ledger, of, row }, seen, path) {
    const ids = Array.isArray(shown) ? shown : [];
    seen.compare(`${path} together`, new Set(ids).size, row === null ? MISSING : row["count"]);
    if (ids.length !== new Set(ids).size) seen.compare(path, ids.join(" "), MISSING);
    for (const each of ids) {
      const by = ledger.row("coin_entitlement", `entitlement ${each}`)?.["coin_claim_id"];
      seen.compare(`${path} ${each}`, Number(of["ref"]), by);
    }
  },
};

const asker = rule.orNull(() => true, agent("agent"));
const nobody = rule.always(null);

const rewardMove = (
  from: rule.Rule<RewardMove["from"]>,
  to: rule.Rule<RewardMove["to"]>,
): rule.Rule<RewardMove> =>
  ofRow("request", byRef("request"), {
    ...PLACE,
    request_id: known(({ of, ledger }) => Number(ledger.coin.get(Number(of["id"]))?.ref)),
    from,
    to,
    amount: amount("reward"),
  });

/** The agent of the answer that was accepted. */
const answerer = rule.orNull(
  () => true,
  ofAgent(
    ({ row, ledger }) =>
      ledger.row("request_answer", `answer ${Number(row?.["answered_by"])}`)?.["agent"],
  ),
);

const COIN_RULES: { readonly [Kind in CoinEntry["kind"]]: rule.Rule<CoinEntryOf<Kind>> } = {
  coin_reward: ofRow("coin_entitlement", byRef("entitlement"), ENTITLED),
  coin_expire: ofRow("coin_entitlement", byRef("entitlement"), ENTITLED),
  coin_claim: ofRow("coin_claim", byRef("collection"), {
    ...PLACE,
    agent: agent("agent_id"),
    amount: amount("amount"),
    entitlement_ids: entitlementIds,
  }),
  coin_transfer: ofRow("coin_transfer", byRef("transfer"), {
    ...PLACE,
    from: agent("from_agent"),
    to: agent("to_agent"),
    amount: amount("amount"),
    memo: hashed("memo"),
    verified: unverified,
  }),
  request: rewardMove(asker, nobody),
  request_accepted: rewardMove(asker, answerer),
  request_closed: rewardMove(nobody, asker),
  request_withdrawn: rewardMove(nobody, asker),
};

/** The ledger determines which of them it is. */
const coinEntry: rule.Rule<CoinEntry> = {
  fields: Object.assign({}, ...Object.values(COIN_RULES).map(({ fields }) => fields)),
  see(shown, facts, seen, path) {
    const { kind } = facts.ledger.coin.get(Number(isShown(shown) ? shown["id"] : 0)) ?? {};
    const known = COIN_KINDS.find((each) => each === kind);
    if (known === undefined) seen.compare(path, shown, MISSING);
    else COIN_RULES[known].see?.(shown, facts, seen, path);
  },
};

type CoinLedger = Out<typeof contracts.coin.ledger>;

const entriesPage = page("entries", {
  key: ownId,
  each: coinEntry,
  first: (facts, n) => newest(facts.ledger.coinIds, { ...before(facts), limit: n }),
});

export const coinLedger = object<CoinLedger>({
  entries: entriesPage.items,
  count: entriesPage.count,
  more: entriesPage.more,
  next: entriesPage.next,
  as_of_ledger_id: head,
  note: rule.untold(SERVICE_TEXT),
});
