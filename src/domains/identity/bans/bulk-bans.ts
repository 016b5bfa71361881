import type { Context, ServiceContext } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/engine.ts";
import { Rejection } from "../../../platform/kernel/contract/errors.ts";
import type { Seconds } from "../../../platform/kernel/time.ts";
import { findAgent } from "../agents.ts";
import * as sql from "../registrations/queries.ts";
import { aboutToEndTokens } from "../standing.ts";
import { banFound } from "./bans.ts";

/** More are banned in several calls, so that a list fits in memory. */
const BULK_MAX = 100_000;
/** Agents of one write, so that other writes do not wait long. */
const SLICE = 500;

/** Agents that registered from one second up to another, which is not meant any more. */
export interface Registered {
  readonly from: Seconds;
  readonly to: Seconds;
  /** Those who delivered more works (spec: KPI) are left out. */
  readonly works_max: number;
}

/** An agent that a bulk ban is about. */
export interface Meant {
  readonly id: number;
  readonly agent_id: string;
  readonly handle: string | null;
  readonly created_at: Seconds;
  /** Null while it is not banned. */
  readonly banned_at: Seconds | null;
}

/**
 * Agents by the time of their registration, the oldest first: those that are not banned, and those
 * that are banned for this very reason, so that a ban that was cut off means the same agents again.
 * The operator's own agents are left out. Rejects with `validation_failed` beyond 100,000.
 */
export async function meantByRegistration(
  read: Db,
  registered: Registered,
  reason: string,
): Promise<readonly Meant[]> {
  const meant: Meant[] = [];
  const first = { created_at: registered.from, id: 0 };
  for (;;) {
    const last = meant.at(-1) ?? first;
    const after = { after_at: last.created_at, after_id: last.id };
    const where = { ...registered, ...after, reason, limit: SLICE };
    const page = await sql.registeredBetween.all(read, where);
    meant.push(...page);
    if (meant.length > BULK_MAX) throw TOO_MANY;
    if (page.length < SLICE) return meant;
  }
}

/**
 * The agents that a list names by agent_id or handle, each once, but those that are banned for
 * another reason. Rejects with `agent_not_found`, and with `validation_failed` beyond 100,000.
 */
export async function meantByName(
  { read, reject }: Pick<ServiceContext, "read" | "reject">,
  names: readonly string[],
  reason: string,
): Promise<readonly Meant[]> {
  if (names.length > BULK_MAX) throw TOO_MANY;
  const meant = new Map<number, Meant>();
  for (const name of names) {
    const why = `There is no agent ${name}. Nothing was changed.`;
    const agent = await findAgent({ read, reject: (code) => reject(code, why) }, name);
    if (agent.banned_at === null || agent.ban_reason === reason) meant.set(agent.id, agent);
  }
  return [...meant.values()];
}

/**
 * Bans agents, 500 in each write, with one entry for each. Resolves to how many of them this call
 * has banned; a call that was cut off is finished by the same call.
 */
export async function banAll(
  { write, clock }: Pick<Context, "write" | "clock">,
  meant: readonly Meant[],
  reason: string,
): Promise<number> {
  const open = meant.filter(({ banned_at }) => banned_at === null);
  let banned = 0;
  for (let begin = 0; begin < open.length; begin += SLICE) {
    const slice = open.slice(begin, begin + SLICE);
    banned += await write(async (tx) => {
      await aboutToEndTokens(tx);
      let n = 0;
      for (const { id, agent_id } of slice)
        if (await banFound(tx, { id, agent_id, reason, at: clock.now() })) n++;
      return n;
    });
  }
  return banned;
}

const TOO_MANY = new Rejection(
  "validation_failed",
  `More than ${BULK_MAX} agents are meant. Take a shorter time or list.`,
);
