import type { Clock, Context, StoredBytes } from "../../platform/context.ts";
import type { DiskRoom, Store } from "../../platform/db/engine.ts";
import { DAY_S, type Seconds } from "../../platform/kernel/time.ts";
import { type Allowance, type Caller, refusalOf } from "./allowance.ts";
import { networkShares } from "./network-shares.ts";
import * as sql from "./queries.ts";
import { DAYS_LEFT_MAX, dayOf } from "./rules.ts";

/** Agents that one write of the job stores. */
const FLUSH_MAX = 500;

/** Agents that are remembered on a day; past that those whose bytes are stored are forgotten. */
const REMEMBERED_MAX = 100_000;

/** Bytes that all processes have stored, as last read, and what this one has charged since. */
interface Sum {
  saved: number;
  unsaved: number;
}

/** The bytes charged on a UTC day. */
interface Day {
  readonly day: Seconds;
  readonly agents: Map<number, Sum>;
  readonly newcomers: Sum;
  readonly others: Sum;
  /** The free room that the day began with; null until it was looked at, and where the disk is not ours. */
  room_bytes: number | null;
}

/** The bytes that are charged to agents, and how they get into the common account. */
export interface Quota extends StoredBytes {
  /**
   * Takes `bytes` off what the caller may store today. What it returns charges more, or gives back
   * what is below 0. Rejects with 429 `rate_limited`, or 503 `storage_unavailable` when the half of
   * the disk's day is spent that the caller belongs to.
   */
  charge(caller: Caller, bytes: number): (more: number) => void;
  /**
   * Stores what was charged since the last call and reads what other processes have. Until then they
   * do not know of it, so a bound is passed by what an agent stores in 5 s.
   */
  flush(context: Pick<Context, "read" | "write">): Promise<void>;
}

export interface QuotaParts {
  readonly clock: Clock;
  /** What one agent may store on a day; null: as much as it wants. */
  readonly perDay_bytes: number | null;
  /** How many days the disk must last; 0: there is no budget. */
  readonly diskDays: number;
  readonly room: Store["room"];
  /** Told of each refusal. */
  readonly refused: () => void;
}

const zero = (): Sum => ({ saved: 0, unsaved: 0 });
const total = ({ saved, unsaved }: Sum): number => saved + unsaved;
const emptyDay = (day: Seconds): Day => ({
  day,
  agents: new Map(),
  newcomers: zero(),
  others: zero(),
  room_bytes: null,
});

/** Keeps in memory what agents store, so that no write waits for an account. */
export function quotaOf(parts: QuotaParts): Quota {
  const { clock, perDay_bytes, diskDays, room } = parts;
  const networks = networkShares(clock);
  let today = emptyDay(dayOf(clock.now()));
  let past: Day[] = [];
  let daysLeft: number | null = null;
  let forgottenOn: Seconds | null = null;

  function present(): Day {
    const day = dayOf(clock.now());
    if (day > today.day) {
      past.push(today);
      today = emptyDay(day);
    }
    return today;
  }

  async function flush({ read, write }: Pick<Context, "read" | "write">): Promise<void> {
    const now = present();
    for (const day of [...past, now]) await storeAgents(day, write);
    const found = room();
    if (found !== null) {
      for (const day of [...past, now]) await storeDay(day, freeBytes(found), write);
      const [newest, before] = await sql.daysUpTo.all(read, { day: now.day });
      if (newest?.day === now.day) take(now, newest);
      daysLeft = daysLeftIn(freeBytes(found), [newest, before]);
    }
    past = past.filter(hasUnsaved);
    networks.sweep();
    if (forgottenOn === now.day) return;
    forgottenOn = now.day;
    const before = now.day - DAY_S;
    await write(async (tx) => {
      await sql.forgetBytes.run(tx, { before });
      await sql.forgetDays.run(tx, { before });
    });
  }

  return {
    perDay_bytes,
    unsaved: (agent) => present().agents.get(agent)?.unsaved ?? 0,
    daysLeft: () => daysLeft,
    charge(caller, bytes) {
      const day = present();
      const sum = caller.agent === null ? zero() : sumOf(day, caller.agent.id);
      const half = caller.isNewcomer ? day.newcomers : day.others;
      const allowance: Allowance = {
        perDay_bytes,
        diskDays,
        room_bytes: day.room_bytes,
        now: clock.now(),
        agent_bytes: total(sum),
        half_bytes: total(half),
        network_bytes: networks.bytesOf(caller.network),
      };
      const refusal = refusalOf(allowance, caller, bytes);
      if (refusal !== null) {
        parts.refused();
        throw refusal;
      }
      const add = (more: number) => {
        sum.unsaved += more;
        half.unsaved += more;
        if (caller.isNewcomer) networks.add(caller.network, more);
      };
      add(bytes);
      return add;
    },
    flush,
  };
}

function sumOf({ agents }: Day, agent: number): Sum {
  const known = agents.get(agent);
  if (known !== undefined) return known;
  if (agents.size >= REMEMBERED_MAX)
    for (const [id, { unsaved }] of agents) if (unsaved === 0) agents.delete(id);
  const fresh = zero();
  agents.set(agent, fresh);
  return fresh;
}

const hasUnsaved = ({ agents, newcomers, others }: Day): boolean =>
  [...agents.values(), newcomers, others].some(({ unsaved }) => unsaved !== 0);

/** In a fixed order, so that two nodes never wait for each other. */
async function storeAgents({ day, agents }: Day, write: Context["write"]): Promise<void> {
  const changed = [...agents].filter(([, { unsaved }]) => unsaved !== 0).sort(([a], [b]) => a - b);
  for (let i = 0; i < changed.length; i += FLUSH_MAX) {
    const slice = changed.slice(i, i + FLUSH_MAX).map(([agent, sum]) => ({
      agent,
      sum,
      bytes: sum.unsaved,
    }));
    const stored = await write((tx) =>
      Promise.all(slice.map(({ agent, bytes }) => sql.addBytes(tx, { agent, day, bytes }))),
    );
    for (const [n, { sum, bytes }] of slice.entries()) {
      sum.unsaved -= bytes;
      sum.saved = stored[n]?.bytes ?? sum.saved + bytes;
    }
  }
}

/** Also a day on which nothing was stored has its room, so that it is known from its beginning. */
async function storeDay(
  { day, newcomers, others, room_bytes }: Day,
  free_bytes: number,
  write: Context["write"],
): Promise<void> {
  const newcomers_bytes = newcomers.unsaved;
  const others_bytes = others.unsaved;
  if (room_bytes !== null && newcomers_bytes === 0 && others_bytes === 0) return;
  const row = { day, room_bytes: room_bytes ?? free_bytes, newcomers_bytes, others_bytes };
  await write((tx) => sql.addToDay.run(tx, row));
  newcomers.unsaved -= newcomers_bytes;
  others.unsaved -= others_bytes;
  newcomers.saved += newcomers_bytes;
  others.saved += others_bytes;
}

type StoredDay = Awaited<ReturnType<typeof sql.daysUpTo.all>>[number];

function take(day: Day, stored: StoredDay): void {
  day.room_bytes = stored.room_bytes;
  day.newcomers.saved = stored.newcomers_bytes;
  day.others.saved = stored.others_bytes;
}

/** The free bytes above the floor; pages that the database does not use are free, too. */
const freeBytes = ({ free_bytes, large_floor_bytes, free_pages, page_bytes }: DiskRoom): number =>
  Math.max(0, free_bytes + free_pages * page_bytes - large_floor_bytes);

/** How long the room lasts at the pace of today or yesterday, whichever is faster. */
function daysLeftIn(free_bytes: number, days: readonly (StoredDay | undefined)[]): number {
  const stored = days.map((day) => (day ? day.newcomers_bytes + day.others_bytes : 0));
  const pace = Math.max(...stored);
  return pace <= 0 ? DAYS_LEFT_MAX : Math.min(DAYS_LEFT_MAX, Math.floor(free_bytes / pace));
}
