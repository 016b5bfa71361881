import { foldCapability } from "../../../identity/rules.ts";
import { CLOCK_SLACK_S, columns, near, rowName, UNSEALED } from "../../../ledger/rows/told.ts";
import { agentIn, countIn, entryRows, numbered } from "./rows.ts";
import type { DerivedTable } from "./table.ts";

const offers = (): DerivedTable =>
  entryRows({
    table: "market_offer",
    kinds: ["offer"],
    id: numbered("offer", "offer_id"),
    columns: {
      ...{ agent: "agent", price_usd_micro: "price_usd_micro", sla_hours: "sla_hours" },
      flagged: "flagged",
    },
    agents: ["agent"],
    hashed: {
      ...{ capability: "capability_sha256", title: "title_sha256" },
      description: "description_sha256",
    },
    times: ["created_at"],
    more: {
      row: (row) => ({
        ...columns(row, "withdrawn_at", "flaggings", "unflaggings"),
        isFolded: row["capability_folded"] === foldCapability(String(row["capability"])) ? 1 : 0,
      }),
      entry: () => ({ withdrawn_at: null, flaggings: 0, unflaggings: 0, isFolded: 1 }),
    },
    later: {
      of: ({ kind, body }) =>
        kind.startsWith("offer_") ? [rowName("offer", body["offer_id"])] : [],
      figures(entry) {
        const { kind, body, at } = entry;
        if (kind === "offer_flagged") return { flagged: body["rule"], flaggings: countIn(entry) };
        return kind === "offer_unflagged"
          ? { flagged: null, unflaggings: countIn(entry) }
          : { withdrawn_at: near(at) };
      },
    },
  });

/** Why the operator flagged an offer, where words were said. */
const offerNotices = (): DerivedTable =>
  entryRows({
    table: "market_offer_notice",
    kinds: ["offer_flagged", "offer_unflagged"],
    when: ({ body }) => body["reason_sha256"] !== undefined,
    id: {
      row: ({ kind, ref }) => `${kind} ${ref}`,
      entry: ({ kind, ref }) => `${kind} ${ref}`,
    },
    columns: { offer: "offer_id" },
    hashed: { reason: "reason_sha256" },
  });

/** Which offers the market lists, as of the ledger's head. */
const listings: DerivedTable = {
  table: "market_offer",
  stands: "at_head",
  stored: (row) => [rowName("offer", row["id"]), columns(row, "listed")],
  made: ({ market }) =>
    new Map(
      [...market.offers].map(([id, { isListed }]) => [
        rowName("offer", id),
        { listed: isListed ? 1 : 0 },
      ]),
    ),
};

/** Where sellers are paid to; one that another replaced before it could be used never is. */
const addresses = (): DerivedTable =>
  entryRows({
    table: "market_payout_address",
    kinds: ["payout_address"],
    id: {
      row: (row, agentOf) => `${agentIn(row, "agent", agentOf)}/${row["n"]}`,
      entry: ({ ref }) => ref,
    },
    columns: { usable_from: "usable_from" },
    hashed: { address: "address_sha256" },
    times: ["set_at"],
    more: { row: (row) => columns(row, "superseded"), entry: () => ({ superseded: 0 }) },
    later: {
      of: (entry) =>
        entry.kind === "payout_address" ? [`${entry.body["agent"]}/${countIn(entry) - 1}`] : [],
      figures: ({ at }, { usable_from }) => {
        const left = Number(usable_from) - at;
        if (Math.abs(left) <= CLOCK_SLACK_S) return { superseded: UNSEALED };
        return { superseded: left > 0 ? 1 : 0 };
      },
    },
  });

/** What sellers offer, and where they are paid to. */
export const offerTables = (): readonly DerivedTable[] => [
  offers(),
  offerNotices(),
  listings,
  addresses(),
];
