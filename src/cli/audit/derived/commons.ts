import { announcementMessage } from "../../../kernel/proof/seal-text.ts";
import {
  columns,
  type Entry,
  type Made,
  near,
  type Row,
  rowName,
  textIn,
} from "../../../ledger/rows/told.ts";
import { verifySignature } from "../../../ledger/seals/ed25519.ts";
import { agentIn, countIn, entryRows, numbered } from "./rows.ts";
import type { DerivedTable } from "./table.ts";

const quests = (): DerivedTable =>
  entryRows({
    table: "quest",
    kinds: ["quest"],
    id: numbered("quest", "quest_id"),
    columns: { bounty_days: "bounty_days", deadline_at: "deadline_at" },
    hashed: { title: "title_sha256", description: "description_sha256" },
    times: ["created_at"],
    more: {
      row: (row) => columns(row, "closed_at", "awards"),
      entry: () => ({ closed_at: null, awards: 0 }),
    },
    later: {
      of: ({ kind, body }) =>
        kind.startsWith("quest_") ? [rowName("quest", body["quest_id"])] : [],
      figures: (entry) =>
        entry.kind === "quest_closed" ? { closed_at: near(entry.at) } : { awards: countIn(entry) },
    },
  });

const awards = (): DerivedTable =>
  entryRows({
    table: "quest_award",
    kinds: ["quest_awarded"],
    id: {
      row: (row, agentOf) => `quest ${row["quest"]} ${agentIn(row, "agent", agentOf)}`,
      entry: ({ body }) => `quest ${body["quest_id"]} ${body["agent"]}`,
    },
    columns: { recognition: "recognition_id", post: "post_id" },
  });

const acceptances = (): DerivedTable =>
  entryRows({
    table: "proposal_acceptance",
    kinds: ["proposal_accepted"],
    id: {
      row: ({ claim }) => rowName("claim", claim),
      entry: ({ body }) => rowName("claim", body["claim_id"]),
    },
    columns: { days: "days", recognition: "recognition_id", announcement: "announcement_id" },
    times: ["accepted_at"],
  });

/** The signed text names the origin of its time, which may have changed since; the signature covers it. */
const announcements = (): DerivedTable =>
  entryRows({
    table: "announcement",
    kinds: ["announcement"],
    id: numbered("announcement", "announcement_id"),
    columns: {
      ...{ at: "signed_at", kind: "announcement_kind", signature: "signature" },
      rewards_per_hour: "rewards_per_hour",
      rate_limit_per_minute: "rate_limit_per_minute",
    },
    hashed: { title: "title_sha256", body: "body_sha256" },
    more: {
      row: ({ signed_message, signature }) => ({
        signed_message: withoutOrigin(String(signed_message)),
        isSigned: isSigned(String(signed_message), String(signature)) ? 1 : 0,
      }),
      entry: (entry) => ({ signed_message: withoutOrigin(messageOf(entry)), isSigned: 1 }),
    },
  });

export const withoutOrigin = (message: string): string => message.replace(/^origin .*$/m, "origin");

/** Whether an announcement has the signature of the key that it names; that covers its origin, too. */
export function isSigned(message: string, signature: string): boolean {
  const [, key] = /^key ([0-9a-f]{64})$/m.exec(message) ?? [];
  if (key === undefined) return false;
  const text = new TextEncoder().encode(message);
  return verifySignature(Uint8Array.fromHex(key), text, Buffer.from(signature, "base64"));
}

const messageOf = (entry: Entry): string =>
  announcementMessage({
    origin: "",
    id: Number(entry.ref),
    signed_at: Number(entry.body["signed_at"]),
    pubkey: textIn(entry, "pubkey"),
    kind: textIn(entry, "announcement_kind"),
    title_sha256: textIn(entry, "title_sha256"),
    body_sha256: textIn(entry, "body_sha256"),
  });

const epochs = (): DerivedTable =>
  entryRows({
    table: "ledger_epoch",
    kinds: ["ledger_restored"],
    id: {
      row: ({ epoch }) => rowName("epoch", epoch),
      entry: ({ body }) => rowName("epoch", body["epoch"]),
    },
    hashed: { reason: "reason_sha256" },
  });

/** Where the ledger ends. */
function head(): DerivedTable {
  let made: Made | null = null;
  return {
    table: "ledger_head",
    stands: "at_head",
    stored: (row: Row) => ["head", columns(row, "last_id", "last_at")],
    add({ id, at }) {
      made = { last_id: id, last_at: at };
    },
    made: () => new Map([["head", made]]),
  };
}

/** The tables of shared decisions and announcements. */
export const commonsTables = (): readonly DerivedTable[] => [
  quests(),
  awards(),
  acceptances(),
  announcements(),
  epochs(),
  head(),
];
