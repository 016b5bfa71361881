import type * as z from "zod";
import type { contracts } from "../../../contracts.ts";
import { micro, toNumber } from "../../../kernel/money.ts";
import { sellerUsd } from "../../../market/amounts.ts";
import { FEE_PERCENT } from "../../../market/rules.ts";
import type { offer } from "../../../market/shapes.ts";
import type { Made } from "../derived/derived.ts";
import { id, SERVICE_TEXT, unverified } from "./board.ts";
import { before, ownId, page } from "./compare/list.ts";
import * as rule from "./compare/rule.ts";
import {
  agent,
  amount,
  byId,
  derived,
  type Facts,
  hashed,
  is,
  known,
  object,
  ofRow,
} from "./compare/rule.ts";
import { type Ledger, newest } from "./ledger.ts";

type Out<Operation extends { output: z.ZodObject }> = z.output<Operation["output"]>;
type Contribution = Out<typeof contracts.treasury.contributions>["contributions"][number];

const isChecked = (row: Made): boolean => row["proof"] !== undefined;

export const SETTING = "a setting of the service";

export const contributionRule = ofRow<Contribution>("contribution", byId("contribution"), {
  id,
  currency: is("currency"),
  txid: hashed("txid"),
  receive_hash: is("receive_hash"),
  amount: is("amount"),
  amount_raw: is("amount_raw"),
  usd: amount("usd_micro"),
  rate: is("rate"),
  rate_source: is("rate_source"),
  verification: object<Contribution["verification"]>({
    state: derived(({ row }) => (isChecked(row) ? "checked" : "declared")),
    proof: is("proof"),
    checked_at: derived(({ row }) => (isChecked(row) ? row["created_at"] : null)),
    text: rule.untold(SERVICE_TEXT),
  }),
  superseded_by: is("superseded_by"),
  note: hashed("note"),
  agent: agent("agent"),
  created_at: is("created_at"),
  verified: derived(({ row }) => isChecked(row)),
});

type Contributions = Out<typeof contracts.treasury.contributions>;

const contributionsPage = page("contributions", {
  key: ownId,
  each: contributionRule,
  first: (facts, n) => newest(facts.ledger.ids("contribution"), { ...before(facts), limit: n }),
});

export const contributionList = object<Contributions>({
  contributions: contributionsPage.items,
  count: contributionsPage.count,
  more: contributionsPage.more,
  next: contributionsPage.next,
  total: known(
    ({ ledger: { books } }) => books.counts.counted.checked + books.counts.counted.declared,
  ),
  totals: object<Contributions["totals"]>({
    verified_usd: known(({ ledger: { books } }) => rule.asNumber(books.counts.usd.checked)),
    declared_usd: known(({ ledger: { books } }) => rule.asNumber(books.counts.usd.declared)),
  }),
});

type Currencies = Out<typeof contracts.treasury.currencies>;

/** The project's own accounts, once an entry names them. */
const ownAccount: rule.Rule<string | null> = {
  see(shown, { ledger }, seen, path) {
    const own = ledger
      .names("own_account")
      .filter((name) => ledger.row("own_account", name)?.["role"] === "project");
    if (own.length === 0 || own.includes(`${shown}`))
      seen.compare(path, shown, `${shown ?? ""}` || null);
    else seen.compare(path, shown, own.at(-1));
  },
};

export const currencies = object<Currencies>({
  network: rule.untold(SETTING),
  receiving_address: ownAccount,
  rate_source: rule.untold(SETTING),
  xno_usd_reference: rule.untold("a price of the moment"),
  xmr_usd_reference: rule.untold("a price of the moment"),
  accepted: rule.untold(SETTING),
  not_accepted: rule.untold(SETTING),
  proofs: rule.untold(SERVICE_TEXT),
});

type Offer = z.output<typeof offer>;

export const offerRule = ofRow<Offer>("market_offer", byId("offer"), {
  id,
  capability: hashed("capability"),
  title: hashed("title"),
  description: hashed("description"),
  price_usd: amount("price_usd_micro"),
  sla_hours: is("sla_hours"),
  flagged: is("flagged"),
  created_at: is("created_at"),
  handle: derived(({ row, ledger }) => ledger.handleOf(row["agent"])),
  agent_id: is("agent"),
  seller_receives_usd: derived(({ row }) =>
    toNumber(sellerUsd(micro<"usd">(Number(row["price_usd_micro"])))),
  ),
  withdrawn: derived(({ row }) => row["withdrawn_at"] !== null),
  verified: unverified,
});

/** Those that are neither withdrawn nor a banned agent's. */
const isListed = (ledger: Ledger, offer_id: number): boolean => {
  const row = ledger.row("market_offer", `offer ${offer_id}`);
  if (row?.["listed"] !== 1 || row["withdrawn_at"] !== null) return false;
  return ledger.row("agent", String(row["agent"]))?.["banned_at"] === null;
};

/** The offers that anybody sees. */
const listedOffers = (facts: Pick<Facts, "ledger" | "asked">, limit: number) =>
  newest(facts.ledger.ids("market_offer"), {
    ...before(facts),
    limit,
    where: (n) => isListed(facts.ledger, n),
  });

type Offers = Out<typeof contracts.market.offers>;

const offersPage = page("offers", {
  key: ownId,
  each: offerRule,
  first: listedOffers,
});

export const offerList = object<Offers>({
  offers: offersPage.items,
  count: offersPage.count,
  more: offersPage.more,
  next: offersPage.next,
  fee_percent: rule.always(FEE_PERCENT),
  who_pays_the_fee: rule.always("the seller"),
  total: known(({ ledger: { books } }) => Number(books.market.sum("offers_open"))),
  next_before_id: known((facts) => {
    const shown = facts.of["offers"];
    const offers = Array.isArray(shown) ? shown : [];
    const isMore = listedOffers(facts, offers.length + 1).length > offers.length;
    return isMore ? offers.at(-1)?.id : null;
  }),
  escrow_address_set: rule.untold(SETTING),
  limits: rule.untold(SETTING),
  how_it_works: rule.untold(SERVICE_TEXT),
  honest_limits: rule.untold(SERVICE_TEXT),
});
