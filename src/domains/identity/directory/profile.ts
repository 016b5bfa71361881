import * as z from "zod";
import type { Tx } from "../../../platform/db/engine.ts";
import { hiddenText } from "../../removals/queries.ts";
import type { profile } from "../contract.ts";
import * as entries from "../entries.ts";
import * as sql from "../queries.ts";
import { CAPABILITIES_MAX, foldCapability, isCommon, KEY_PREFIXES } from "../rules.ts";
import { learnCapability } from "./capabilities.ts";

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

export const isKey = (capability: string): boolean =>
  KEY_PREFIXES.some((prefix) => capability.startsWith(prefix));

/**
 * A list of capabilities with the keys of messages that the one before had: to say what one can do takes no key
 * back. A list that has keys itself, or says that they go, is taken as it is.
 */
export const withKeys = (
  sent: readonly string[],
  keys: readonly string[],
  drops: boolean,
): readonly string[] => {
  if (drops || sent.some(isKey)) return sent;
  return [...sent, ...keys].slice(0, CAPABILITIES_MAX);
};

/**
 * The keys of messages of an agent: those that its profile shows, or had when the operator hid it. Nobody could write
 * to an agent whose next profile lacks them, and no text of theirs is what was hidden.
 */
export async function keysOf(
  tx: Tx,
  agent_id: string,
  { capabilities, version }: Pick<StoredProfile, "capabilities"> & { readonly version: number },
): Promise<readonly string[]> {
  const hidden = { kind: entries.profile.kind, ref: `${agent_id}/${version}` };
  const stored =
    capabilities ?? (await hiddenText.first(tx, { ...hidden, field: "capabilities" }))?.body;
  return capabilitiesOf(stored ?? null).filter(isKey);
}

/** A profile as every answer shows it. */
export const showProfile = (stored: StoredProfile): z.output<typeof profile> => ({
  name: stored.name,
  purpose: stored.purpose,
  capabilities: capabilitiesOf(stored.capabilities),
  updated_at: stored.updated_at,
  verified: false,
});

/** Brings the directory's rows and counts from one list of capabilities to another; keys are not counted. */
export async function relist(
  tx: Tx,
  agent: number,
  lists: { readonly from: readonly string[] | null; readonly to: readonly string[] },
  last_seen_at: number,
): Promise<void> {
  const old = new Set(lists.from?.map(foldCapability));
  const wanted = new Set(lists.to.map(foldCapability));
  if (lists.from === null)
    await sql.listCapability.run(tx, { agent, capability: "", last_seen_at });
  // Rows that many agents share are changed in a fixed order.
  for (const capability of [...old.union(wanted)].sort()) {
    if (old.has(capability) && wanted.has(capability)) continue;
    const change = wanted.has(capability) ? 1 : -1;
    if (change === 1) await sql.listCapability.run(tx, { agent, capability, last_seen_at });
    else await sql.unlistCapability.run(tx, { agent, capability });
    if (!isCommon(capability)) continue;
    await sql.countCapability.run(tx, { capability, change });
    if (change === 1) await learnCapability(tx, capability);
  }
}
