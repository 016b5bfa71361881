import type { Context } from "../../platform/context.ts";
import type { Db } from "../../platform/db/engine.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import { vkeyOf } from "../../platform/kernel/tlog/note.ts";
import type { LogFacts } from "../../platform/ledger/handlers.ts";
import { currentLog } from "./log.ts";
import * as sql from "./queries.ts";
import {
  cosignaturesBetween,
  cosignaturesOf,
  waitingSince,
  witnessStates,
} from "./witness-queries.ts";

/** The log of a service, as `GET /verify` shows it: where it is read, and which witnesses are suggested. */
export async function logAt(
  read: Db,
  { baseUrl, logUrl }: Pick<Context["settings"], "baseUrl" | "logUrl">,
): Promise<LogFacts | null> {
  const log = await currentLog(read);
  if (log === null) return null;
  const own = `${baseUrl}${log.prefix}`;
  const { origin, key } = log;
  return { origin, vkey: vkeyOf(key), url: logUrl ?? own, policy_url: `${own}/policy` };
}

/** The checkpoints of these sizes and those who have cosigned them. Empty where there is no log. */
export async function checkpointsAt(read: Db, sizes: readonly number[]) {
  const log = await currentLog(read);
  if (log === null || sizes.length === 0) return [];
  const range = { origin: log.origin, from: Math.min(...sizes), to: Math.max(...sizes) };
  const [notes, words] = await Promise.all([
    sql.checkpointsBetween.all(read, range),
    cosignaturesBetween.all(read, range),
  ]);
  const bySize = Map.groupBy(words, ({ size }) => size);
  return notes.map(({ size, note }) => {
    const held = bySize.get(size) ?? [];
    return {
      size,
      note: note + held.map(({ line }) => `${line}\n`).join(""),
      witnesses: held.map(({ witness, key_id, time }) => ({ name: witness, key_id, time })),
    };
  });
}

/** How the witnesses of the log stand, as `GET /protection` shows it. */
export async function witnessesOfLog(read: Db, now: Seconds) {
  const log = await currentLog(read);
  const head = await sql.published.first(read, {});
  if (log === null) return { witnessed_through_id: null, witness_lag_s: null, witnesses: [] };
  const { origin } = log;
  const states = await witnessStates.all(read, { origin });
  const size = head?.origin === origin ? head.size : 0;
  const words = await cosignaturesOf.all(read, { origin, size });
  const waits = await waitingSince.first(read, { origin, size });
  return {
    witnessed_through_id: words.length === 0 ? null : size,
    witness_lag_s:
      states.length === 0 ? null : waits === undefined ? 0 : Math.max(0, now - waits.at),
    witnesses: states.map(({ witness, last_time, last_error }) => ({
      name: witness,
      last_time,
      last_error,
    })),
  };
}
