import type { Context } from "../../context.ts";
import type { Tx } from "../../db/engine.ts";
import { announcementMessage } from "../../kernel/proof/seal-text.ts";
import { enactSurely } from "../rows/enact.ts";
import { rows } from "../rows.ts";
import { operatorKeys } from "../seals/keys.ts";
import { demandNotBehind, type Signer } from "../seals/signer.ts";
import { sha256Hex } from "../sha256.ts";
import * as sql from "./announcement-queries.ts";

/** What the operator can announce in words of its own (docs/reference/ledger.md). */
export const ANNOUNCED_BY_HAND = [
  "notice",
  "rule_change",
  "route_removed",
  "protocol_version",
  "limit_added",
  "key",
] as const;

/** The most requests per minute that a rate limit can be. */
export const RATE_LIMIT_MAX = 1_000_000;

interface Announcement {
  readonly kind: (typeof ANNOUNCED_BY_HAND)[number] | "proposal_accepted";
  /** In the operator's own words, never an agent's. */
  readonly title: string;
  readonly body: string;
  /** The number of rewards an hour that it sets for the whole network; 0 switches it off. */
  readonly rewards_per_hour?: number;
  /** The requests per minute that each node takes from an agent; 0: no limit any more. */
  readonly rate_limit_per_minute?: number;
}

/**
 * Signs an announcement and publishes it at `GET /verify`, inside the write of what it announces.
 * Resolves to its id. Throws a sentence when this node may not sign, or the database is behind what
 * it has signed: an announcement is signed or is none.
 */
export async function announce(
  tx: Tx,
  { clock, settings }: Pick<Context, "clock" | "settings">,
  signer: Signer | null,
  { kind, title, body, rewards_per_hour, rate_limit_per_minute }: Announcement,
): Promise<number> {
  const current = (await operatorKeys(tx)).at(-1);
  const key = current && signer?.keyOf(current.public_key);
  if (!key)
    throw new Error("An announcement is signed, and this node does not hold the operator's key.");
  await demandNotBehind(tx, signer);
  const last = await sql.lastAnnouncement.first(tx, {});
  const id = (last?.id ?? 0) + 1;
  const sealed = {
    title_sha256: sha256Hex(title),
    body_sha256: sha256Hex(body),
    signed_at: clock.now(),
    pubkey: key.pubkey,
  };
  const signed_message = announcementMessage({ origin: settings.origin, id, kind, ...sealed });
  const signature = key.sign(signed_message);
  const { signed_at, pubkey } = sealed;
  const signed = { signed_at, pubkey, signed_message, signature };
  const limits = { rewards_per_hour, rate_limit_per_minute };
  const given = { announcement_id: id, announcement_kind: kind, title, body, ...signed, ...limits };
  await enactSurely(tx, rows.announcement, given, signed_at);
  return id;
}
