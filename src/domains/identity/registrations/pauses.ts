import type { Context, Registrations } from "../../../platform/context.ts";
import type { Db, Tx } from "../../../platform/db/engine.ts";
import type { Seconds } from "../../../platform/kernel/time.ts";
import { MINUTE_S } from "../../../platform/kernel/time.ts";
import { announce } from "../../../platform/ledger/announcements/announce.ts";
import { decideChange, NOBODY } from "../../../platform/ledger/decide.ts";
import { enactSurely } from "../../../platform/ledger/rows/enact.ts";
import { enactAllowed } from "../../../platform/ledger/rows/enact-allowed.ts";
import type { Signer } from "../../../platform/ledger/seals/signer.ts";
import { type IdentityState, registrationsPaused, registrationsResumed } from "../ledger.ts";
import { rows } from "../rows.ts";
import * as sql from "./queries.ts";

/** What one process knows of the newest pause. */
export interface RememberedPause extends Pick<Registrations, "pause"> {
  /** Reads it again. */
  refresh(read: Db): Promise<void>;
}

/** The pause in force, as of the last look; it ends by itself at its second. */
export function rememberedPause(now: () => Seconds): RememberedPause {
  let newest: Awaited<ReturnType<typeof sql.newestPause.first>>;
  return {
    async refresh(read) {
      newest = await sql.newestPause.first(read, {});
    },
    pause: () => (newest !== undefined && isInForce(newest, now()) ? newest : null),
  };
}

interface Pause {
  readonly minutes: number;
  /** In public, and for ever. */
  readonly reason: string;
}

/**
 * Lets nobody register for some minutes, which is announced with a signature. Resolves to the second
 * in which it ends; null while another pause is in force. Throws a sentence when this node cannot sign.
 */
export async function pauseRegistrations(
  context: Pick<Context, "write" | "clock" | "settings">,
  signer: Signer | null,
  { minutes, reason }: Pause,
): Promise<Seconds | null> {
  return context.write(async (tx) => {
    const at = context.clock.now();
    const { pause } = await newestPause(tx);
    const named = { pause_id: (pause?.id ?? 0) + 1, ends_at: at + minutes * MINUTE_S };
    const { ends_at } = named;
    /** What the rule reads once the pause is announced under this number. */
    const announcedAs = (id: number) => ({ pause, announced: { id, kind: "limit_added" } });
    const look = { body: { ...named, announcement_id: 0 }, now: at, same: "inForce" } as const;
    if (!decideChange(NOBODY, registrationsPaused, announcedAs(0), look)) return null;
    const announcement_id = await announce(tx, context, signer, {
      kind: "limit_added",
      title: `Nobody can register for ${minutes} minutes`,
      body: `POST /api/v1/register answers 429 until Unix second ${ends_at}, or until the operator resumes registrations before. Reason: ${reason}`,
    });
    await enactAllowed(NOBODY, tx, [registrationsPaused, rows.registrationsPaused], {
      before: announcedAs(announcement_id),
      given: { ...named, announcement_id, reason },
      now: at,
    });
    return ends_at;
  });
}

/** Ends the pause in force before its time. False when there is none. */
export const resumeRegistrations = ({
  write,
  clock,
}: Pick<Context, "write" | "clock">): Promise<boolean> => write((tx) => resume(tx, clock.now()));

async function resume(tx: Tx, at: Seconds): Promise<boolean> {
  const { pause } = await newestPause(tx);
  const body = { pause_id: pause?.id ?? 0 };
  const resuming = { body, now: at, same: "none" } as const;
  if (!decideChange(NOBODY, registrationsResumed, pause, resuming)) return false;
  await enactSurely(tx, rows.registrationsResumed, body, at);
  return true;
}

/** The newest pause, over or in force, as rules see it; null while there was none. */
export async function newestPause(db: Db): Promise<Pick<IdentityState, "pause" | "paused_at">> {
  const newest = await sql.newestPause.first(db, {});
  if (newest === undefined) return { pause: null, paused_at: null };
  const { id, paused_at, ends_at, resumed_at } = newest;
  return { pause: { id, ends_at, isResumed: resumed_at !== null }, paused_at };
}

const isInForce = (
  { ends_at, resumed_at }: { readonly ends_at: Seconds; readonly resumed_at: Seconds | null },
  at: Seconds,
): boolean => resumed_at === null && at < ends_at;
