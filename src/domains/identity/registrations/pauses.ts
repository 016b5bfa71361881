import type { Context, Registrations } from "../../../platform/context.ts";
import type { Db, Tx } from "../../../platform/db/engine.ts";
import type { Seconds } from "../../../platform/kernel/time.ts";
import { MINUTE_S } from "../../../platform/kernel/time.ts";
import { announce } from "../../../platform/ledger/announcements/announce.ts";
import { enact, enactSurely } from "../../../platform/ledger/rows/enact.ts";
import type { Signer } from "../../../platform/ledger/seals/signer.ts";
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
    const newest = await sql.newestPause.first(tx, {});
    if (newest !== undefined && isInForce(newest, at)) return null;
    const pause_id = (newest?.id ?? 0) + 1;
    const ends_at = at + minutes * MINUTE_S;
    const announcement_id = await announce(tx, context, signer, {
      kind: "limit_added",
      title: `Nobody can register for ${minutes} minutes`,
      body: `POST /api/v1/register answers 429 until Unix second ${ends_at}, or until the operator resumes registrations before. Reason: ${reason}`,
    });
    const pause = { pause_id, ends_at, announcement_id, reason };
    await enactSurely(tx, rows.registrationsPaused, pause, at);
    return ends_at;
  });
}

/** Ends the pause in force before its time. False when there is none. */
export const resumeRegistrations = ({
  write,
  clock,
}: Pick<Context, "write" | "clock">): Promise<boolean> => write((tx) => resume(tx, clock.now()));

async function resume(tx: Tx, at: Seconds): Promise<boolean> {
  const newest = await sql.newestPause.first(tx, {});
  if (newest === undefined || !isInForce(newest, at)) return false;
  const { id: pause_id } = newest;
  return (await enact(tx, rows.registrationsResumed, { pause_id }, at)) !== undefined;
}

const isInForce = (
  { ends_at, resumed_at }: { readonly ends_at: Seconds; readonly resumed_at: Seconds | null },
  at: Seconds,
): boolean => resumed_at === null && at < ends_at;
