import { announcedPace } from "../coin/queries.ts";
import type { Context } from "../context.ts";
import type { Db } from "../db/engine.ts";
import { announce } from "../ledger/announce.ts";
import { ledgerHead } from "../ledger/queries.ts";
import type { Signer } from "../ledger/signer.ts";
import type { Configuration } from "./settings.ts";

type Wanted = Pick<Configuration, "rewardsPerHour">;

/** The number of rewards an hour that was announced last; 0 when there is none. */
export const announcedRewards = async (read: Db): Promise<number> =>
  (await announcedPace.first(read, {}))?.rewards_per_hour ?? 0;

/** The command that brings a wanted number into force. */
export const paceCommand = (perHour: number): string =>
  `cairn announce --kind limit_added --rewards-per-hour ${perHour} --title TEXT --body TEXT`;

/**
 * Brings the number that the configuration wants into force where nobody has to be warned before: on
 * a network that has just begun, and where it is raised or switched off. Each change is announced
 * with a signature and sealed. Resolves to a sentence when the wanted number is not in force.
 */
export async function settleRewardPace(
  context: Context,
  signer: Signer | null,
  { rewardsPerHour: wanted }: Wanted,
): Promise<string | null> {
  const { read, write } = context;
  const announced = await announcedRewards(read);
  if (wanted === null || wanted === announced) return null;
  const isNew = ((await ledgerHead.first(read, {}))?.last_id ?? 0) <= 1;
  const isLess = announced > 0 && (wanted === 0 || wanted > announced);
  if (!isNew && !isLess)
    return `CAIRN_REWARDS_PER_HOUR is ${wanted}, and what was announced is ${announced || "no number"}, which stays in force. To change it: ${paceCommand(wanted)}`;
  if (signer === null)
    return `CAIRN_REWARDS_PER_HOUR is ${wanted} and not in force: a node that holds the operator's key has to announce it.`;
  await write((tx) => announce(tx, context, signer, announcementOf(wanted)));
  return null;
}

const announcementOf = (perHour: number) => ({
  kind: perHour === 0 ? ("rule_change" as const) : ("limit_added" as const),
  title:
    perHour === 0 ? "Rewards have no number an hour" : `At most ${perHour} rewards an hour in all`,
  body:
    perHour === 0
      ? "From now on no number of rewards an hour holds for the whole network."
      : `From now on the whole network grants at most ${perHour} rewards in an hour. An act beyond that is recorded and earns nothing: its answer says network_limit. One fifth is for newcomers.`,
  rewards_per_hour: perHour,
});
