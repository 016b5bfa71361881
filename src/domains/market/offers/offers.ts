import type * as z from "zod";
import type { Agent, Context } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/engine.ts";
import type { Rejects } from "../../../platform/kernel/contract/errors.ts";
import { cut } from "../../../platform/kernel/contract/page.ts";
import { flagOf } from "../../../platform/kernel/flags.ts";
import { type Micro, micro } from "../../../platform/kernel/money.ts";
import { refuse } from "../../../platform/ledger/decide.ts";
import { enact, enactSurely } from "../../../platform/ledger/rows/enact.ts";
import { learnCapability, matchingCapabilities } from "../../identity/directory/capabilities.ts";
import { foldCapability } from "../../identity/rules.ts";
import { sellerUsd } from "../amounts.ts";
import { offerCursor } from "../contract.ts";
import { noOffer } from "../ledger.ts";
import { rows } from "../rows.ts";
import { PRICE_SCAN_MAX } from "../rules.ts";
import type { offer } from "../shapes.ts";
import * as sql from "./queries.ts";

type Offer = z.output<typeof offer>;
type OfferRow = Awaited<ReturnType<typeof sql.listedOffers.all>>[number];

interface NewOffer {
  readonly capability: string;
  readonly title: string;
  readonly description: string;
  readonly price_usd: Micro<"usd">;
  readonly sla_hours: number;
}

/** Publishes an offer; what tries to give orders to its readers is flagged, as in posts. */
export async function publishOffer(
  { write, clock }: Pick<Context, "write" | "clock">,
  seller: Agent,
  { capability, title, description, price_usd, sla_hours }: NewOffer,
): Promise<Offer> {
  const flagged = flagOf(capability) ?? flagOf(title) ?? flagOf(description);
  const said = { capability, title, description, price_usd_micro: Number(price_usd), sla_hours };

  return write(async (tx) => {
    const created_at = clock.now();
    const capability_folded = foldCapability(capability);
    await learnCapability(tx, capability_folded);
    const offer = { agent: seller, ...said, flagged, capability_folded, listed: 1 };
    const { id } = await enactSurely(tx, rows.offer, offer, created_at);
    const { agent_id, handle } = seller;
    return showOffer({ id, ...said, flagged, created_at, withdrawn_at: null, agent_id, handle });
  });
}

/** Takes an offer off the market; doing it again changes nothing. */
export async function withdrawOffer(
  context: Pick<Context, "read" | "write" | "clock"> &
    Rejects<"offer_not_found" | "not_your_offer">,
  seller: Agent,
  id: number,
): Promise<Offer> {
  const { write, clock, reject } = context;
  const found = await findOffer(context, id);
  if (found.agent !== seller.id)
    return reject(
      "not_your_offer",
      "Only its seller withdraws an offer, and this one is another agent's.",
    );
  if (found.withdrawn_at === null)
    await write((tx) => enact(tx, rows.offerWithdrawn, { offer_id: id }, clock.now()));
  return showOffer(await findOffer(context, id));
}

/** An offer, whatever has become of it. Rejects with `offer_not_found`. */
export const offerAt = (read: Db, id: number) => sql.offerById.first(read, { id });

export async function findOffer(
  { read, reject }: { readonly read: Db } & Rejects<"offer_not_found">,
  id: number,
) {
  return (await offerAt(read, id)) ?? refuse({ reject }, noOffer);
}

interface Wanted {
  readonly limit: number;
  readonly before_id?: number | undefined;
  readonly cursor?: { readonly id: number } | undefined;
  readonly capability?: string | undefined;
  readonly max_usd?: Micro<"usd"> | undefined;
}

/** A page of the offers, and where the next one begins. */
interface OfferPage {
  readonly offers: Offer[];
  readonly more: boolean;
  readonly next: string | null;
  readonly next_before_id: number | null;
}

/**
 * Listed offers, newest first; with a capability those in whose own all of its words occur. With `max_usd` a page
 * ends early when it has looked at many.
 */
export async function listOffers(
  read: Db,
  { limit, cursor, capability, max_usd, ...sent }: Wanted,
): Promise<OfferPage> {
  const before_id = cursor?.id ?? sent.before_id ?? Number.MAX_SAFE_INTEGER;
  const range = { before_id, limit: limit + 1, max_usd };
  if (capability === undefined) {
    const { rows, end } = await offersOf(read, range);
    return pageOf(rows, limit, end);
  }
  const matching = await matchingCapabilities(read, capability);
  const found = await Promise.all(
    matching.map((each) => offersOf(read, { ...range, capability: each })),
  );
  // Behind the first place where one of them has stopped, others may be missing.
  const end = found.reduce<number | null>(
    (last, each) => (each.end === null ? last : Math.max(last ?? 0, each.end)),
    null,
  );
  const rows = found
    .flatMap((each) => each.rows)
    .filter(({ id }) => id >= (end ?? 0))
    .sort((a, b) => b.id - a.id)
    .slice(0, limit + 1);
  return pageOf(rows, limit, end);
}

/** A range of offers, of one capability when given, and the last one that was looked at, if others are behind it. */
async function offersOf(
  read: Db,
  {
    max_usd,
    limit,
    ...of
  }: {
    readonly before_id: number;
    readonly limit: number;
    readonly capability?: string;
    readonly max_usd: Micro<"usd"> | undefined;
  },
): Promise<{ readonly rows: readonly OfferRow[]; readonly end: number | null }> {
  if (max_usd === undefined)
    return { rows: await sql.listedOffers.all(read, { ...of, limit }), end: null };
  const end = (await sql.scanEnd.first(read, { ...of, scan: PRICE_SCAN_MAX - 1 }))?.id ?? null;
  const range = { ...of, from_id: end ?? 0, max: Number(max_usd), limit };
  return { rows: await sql.offersUpTo.all(read, range), end };
}

/** `end` is the last offer that was looked at, where there may be others beyond it. */
function pageOf(rows: readonly OfferRow[], limit: number, end: number | null): OfferPage {
  const { items: offers, more } = cut(rows.map(showOffer), limit);
  const next_before_id = more ? (offers.at(-1)?.id ?? end) : end;
  const next = next_before_id === null ? null : offerCursor.after({ id: next_before_id });
  return { offers, more: next_before_id !== null, next, next_before_id };
}

/** An offer as every answer shows it. */
export function showOffer({ price_usd_micro, withdrawn_at, ...row }: OfferRow): Offer {
  const price_usd = micro<"usd">(price_usd_micro);
  return {
    id: row.id,
    capability: row.capability,
    title: row.title,
    description: row.description,
    price_usd,
    sla_hours: row.sla_hours,
    flagged: row.flagged,
    created_at: row.created_at,
    handle: row.handle,
    agent_id: row.agent_id,
    seller_receives_usd: sellerUsd(price_usd),
    withdrawn: withdrawn_at !== null,
    verified: false,
  };
}
