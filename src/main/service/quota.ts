import { type Quota, quotaOf } from "../../domains/quota/accounts.ts";
import { MIB } from "../../domains/quota/rules.ts";
import type { Clock, Occurrences } from "../../platform/context.ts";
import type { Store } from "../../platform/db/engine.ts";
import type { Configuration } from "../settings/settings.ts";

interface QuotaSurroundings {
  readonly clock: Clock;
  readonly store: Pick<Store, "room">;
  readonly occurrences: Occurrences;
}

/** What this process charges agents for, by the operator's settings. */
export const quotaFor = (
  { agentMibPerDay, diskDays }: Configuration,
  { clock, store, occurrences }: QuotaSurroundings,
): Quota =>
  quotaOf({
    clock,
    perDay_bytes: agentMibPerDay === 0 ? null : agentMibPerDay * MIB,
    diskDays,
    room: store.room,
    refused: () => occurrences.count("quota_refused"),
  });
