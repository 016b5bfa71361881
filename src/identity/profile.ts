import * as z from "zod";
import type { Tx } from "../db/engine.ts";
import type { profile } from "./contract.ts";
import * as sql from "./queries.ts";
import { foldCapability } from "./rules.ts";

interface StoredProfile {
  readonly name: string | null;
  readonly purpose: string | null;
  readonly capabilities: string | null;
  readonly updated_at: number;
}

const capabilityList = z.array(z.string());

/** The capabilities as sent, from their stored JSON text. */
export const capabilitiesOf = (stored: string | null): string[] =>
  stored === null ? [] : capabilityList.parse(JSON.parse(stored));

/** A profile as every answer shows it. */
export const showProfile = (stored: StoredProfile): z.output<typeof profile> => ({
  name: stored.name,
  purpose: stored.purpose,
  capabilities: capabilitiesOf(stored.capabilities),
  updated_at: stored.updated_at,
  verified: false,
});

/** Brings the directory's rows and counts from one list of capabilities to another. */
export async function relist(
  tx: Tx,
  agent: number,
  change: { readonly from: readonly string[] | null; readonly to: readonly string[] },
  last_seen_at: number,
): Promise<void> {
  const old = new Set(change.from?.map(foldCapability));
  const wanted = new Set(change.to.map(foldCapability));
  if (change.from === null)
    await sql.listCapability.run(tx, { agent, capability: "", last_seen_at });
  // Rows that many agents share are changed in a fixed order.
  for (const capability of [...old.union(wanted)].sort()) {
    if (old.has(capability) && wanted.has(capability)) continue;
    if (wanted.has(capability)) {
      await sql.listCapability.run(tx, { agent, capability, last_seen_at });
      await sql.countCapability.run(tx, { capability, change: 1 });
    } else {
      await sql.unlistCapability.run(tx, { agent, capability });
      await sql.countCapability.run(tx, { capability, change: -1 });
    }
  }
}
