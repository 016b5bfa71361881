import { poolNow } from "../../domains/coin/overview.ts";
import { paceLines } from "../../domains/coin/pace/choices.ts";
import { accountBalance } from "../../domains/coin/queries.ts";
import { ripeAt, waves } from "../../domains/operator/looks/agent-queries.ts";
import { announcedRewards, paceCommand } from "../../main/settings/announced-numbers.ts";
import { asksForPace } from "../../main/settings/pace-question.ts";
import type { Db } from "../../platform/db/engine.ts";
import { dayOf, isoOf } from "../../platform/kernel/iso-time.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import { countedLong } from "../command/counted.ts";
import type { Finding, Patient } from "./finding.ts";

const about = "rewards";

/** A longer time is no figure that anybody needs. */
const FAR_DAYS = 3_650;

/** An example for the operator's command: 7,200 coins a day. */
const EXAMPLE_PER_HOUR = 3_000;

/** How long the reward pool lasts, and whether the number that the settings want is in force. */
export async function checkRewards({ snapshot, configuration }: Patient): Promise<Finding[]> {
  const pool = snapshot && (await accountBalance.first(snapshot.read, { account: "reward_pool" }));
  if (snapshot === null || pool === null || pool === undefined) return [];
  const now = Math.floor(Date.now() / 1_000);
  const figures = await poolNow(snapshot.read, BigInt(pool.balance), now);
  const { reward_pool_days_left: days, rewards_last_24h } = figures;
  const announced = await announcedRewards(snapshot.read);
  const wanted = configuration.rewardsPerHour;
  const pace =
    announced === 0
      ? "no number of rewards an hour is announced"
      : `${countedLong(announced, "reward")} an hour announced`;
  const lasts =
    days === null
      ? "nothing was granted in seven days"
      : `the pool lasts ${days >= FAR_DAYS ? "more than 10 years" : countedLong(days, "day")}`;
  const text = `${countedLong(rewards_last_24h, "reward")} in 24 hours; ${lasts}; ${pace}.`;
  return [
    { about, state: "ok", text },
    ...(announced === 0 && asksForPace(configuration) ? [unchosen(configuration)] : []),
    ...(await wavesOf(snapshot.read, now)),
    ...(wanted === null || wanted === announced ? [] : [unannounced(wanted)]),
  ];
}

const unannounced = (wanted: number): Finding => ({
  about,
  state: "warning",
  text: `CAIRN_REWARDS_PER_HOUR is ${wanted}, which was not announced, so it is not in force.`,
  advice: paceCommand(wanted),
});

/** No number is a choice, too, once CAIRN_REWARDS_PER_HOUR says 0. */
const unchosen = ({ registrationsPerHour }: Patient["configuration"]): Finding => ({
  about,
  state: "warning",
  text: `Strangers can register, and no number of rewards an hour was chosen:\n${paceLines(registrationsPerHour).join("\n")}`,
  advice: `Announce one (${paceCommand(EXAMPLE_PER_HOUR)}), or set CAIRN_REWARDS_PER_HOUR=0.`,
});

/** Hours in which many agents registered whose rewards mature next: they can be banned until then. */
async function wavesOf(read: Db, now: Seconds): Promise<Finding[]> {
  const [next, ...others] = await waves.all(read, { expires_after: ripeAt(now), limit: WAVES_MAX });
  if (next === undefined) return [];
  const { agents, registered_from, first_matures_at } = next;
  const hour = isoOf(registered_from).slice(0, 13);
  const until = dayOf(first_matures_at ?? now);
  const more =
    others.length === 0 ? "" : `, and ${countedLong(others.length, "other hour")} like it`;
  return [
    {
      about,
      state: "ok",
      text: `${countedLong(agents, "agent")} that registered in the hour from ${hour}:00 UTC have rewards that mature from ${until} on${more}; cairn agent waves lists them.`,
    },
  ];
}

const WAVES_MAX = 20;
