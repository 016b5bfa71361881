import { readFileSync } from "node:fs";
import {
  banAll,
  type Meant,
  meantByName,
  meantByRegistration,
  type Registered,
} from "../../domains/identity/bans/bulk-bans.ts";
import type { ServiceContext } from "../../platform/context.ts";
import { isoOf } from "../../platform/kernel/iso-time.ts";
import type { Outcome } from "../command/command.ts";
import { messageOf, REFUSED, Stop, USAGE } from "../command/stop.ts";

const EXAMPLES = 20;
const STDIN = 0;

/** Whom a ban names: exactly one of `agent`, `file` and `registered`. */
interface Target {
  readonly agent?: string | undefined;
  readonly file?: string | undefined;
  readonly registered?: Pick<Registered, "from" | "to"> | undefined;
  readonly works_max?: number | undefined;
}

interface BulkBan extends Omit<Target, "agent"> {
  readonly reason: string;
  /** How many agents the operator expects; undefined to look only. */
  readonly yes?: number | undefined;
}

/** The one agent that is named; null when many are. A Stop when options do not go together. */
export function oneTarget(
  { agent, file, registered, works_max }: Target,
  yes: number | undefined,
): string | null {
  const named = [agent, file, registered].filter((way) => way !== undefined);
  if (named.length !== 1) throw new Stop(USAGE, "Name one of AGENT, --file and --registered.");
  if (registered === undefined && works_max !== undefined)
    throw new Stop(USAGE, "--works-max goes with --registered.");
  if (agent !== undefined && yes !== undefined)
    throw new Stop(USAGE, "--yes goes with --file or --registered.");
  return agent ?? null;
}

/** Shows whom a bulk ban means, or bans them when `yes` is their count. */
export async function banMany(
  context: Pick<ServiceContext, "read" | "write" | "clock" | "reject">,
  ban: BulkBan,
): Promise<Outcome> {
  const meant = await meantBy(context, ban);
  const count = meant.length;
  const left = meant.filter(({ banned_at }) => banned_at === null).length;
  if (left === 0) throw new Stop(REFUSED, "There is no agent left to ban. Nothing was changed.");
  if (ban.yes === undefined) return shown(meant, left);
  if (ban.yes !== count)
    throw new Stop(REFUSED, `${count} agents are meant and not ${ban.yes}. Nothing was changed.`);
  const banned = await banAll(context, meant, ban.reason);
  const text = `${banned} agents are banned now; ${count} are meant in all.`;
  return { text, facts: { count, banned } };
}

async function meantBy(
  context: Pick<ServiceContext, "read" | "reject">,
  { file, registered, works_max, reason }: BulkBan,
): Promise<readonly Meant[]> {
  if (registered !== undefined) {
    const all = Number.MAX_SAFE_INTEGER;
    return meantByRegistration(
      context.read,
      { ...registered, works_max: works_max ?? all },
      reason,
    );
  }
  return meantByName(context, namesIn(file ?? "-"), reason);
}

function shown(meant: readonly Meant[], left: number): Outcome {
  const examples = meant.slice(0, EXAMPLES).map(({ agent_id, handle, created_at }) => ({
    agent_id,
    handle,
    created_at,
  }));
  const lines = examples.map(
    ({ agent_id, handle, created_at }) => `  ${agent_id}  ${isoOf(created_at)}  ${handle ?? "-"}`,
  );
  const count = meant.length;
  const before = count - left === 0 ? "" : `, ${count - left} of them banned already`;
  return {
    text: [
      `${count} agents are meant${before}. Nothing was changed; --yes ${count} bans them.`,
      ...lines,
      ...(count > lines.length ? [`  and ${count - lines.length} more`] : []),
    ].join("\n"),
    changed: false,
    facts: { count, banned: 0, examples },
  };
}

function namesIn(path: string): readonly string[] {
  try {
    const text = readFileSync(path === "-" ? STDIN : path, "utf8");
    return text.split("\n").flatMap((line) => line.trim() || []);
  } catch (error) {
    throw new Stop(USAGE, `${path} cannot be read: ${messageOf(error)}.`, error);
  }
}
