import type * as z from "zod";
import type { Context } from "../../../platform/context.ts";
import type { views } from "../contract.ts";
import type { SenderLimits, ServiceFacts } from "../facts.ts";
import type { Limit } from "../shapes.ts";
import { SPEC_LIMITS } from "./bounds/spec.ts";
import { RULE_LIMITS } from "./bounds.ts";
import { byteLimits } from "./bytes.ts";
import { economyOf } from "./economy.ts";
import { fieldLimits } from "./fields.ts";
import { honestLimits } from "./honest.ts";
import { limitSubjects } from "./subjects.ts";
import { limitsIn } from "./table.ts";

type Limits = z.output<typeof views.limits.output>;

/**
 * Every bound, derived from the constants and the schemas that the code itself uses; the rate limit is
 * the first (spec: Limits). They are folded at the first request: no service starts later for them.
 */
export function limitsOf({
  contracts,
  processLimits,
  limits,
  agentMibPerDay,
  diskDays,
}: Pick<ServiceFacts, "contracts" | "processLimits" | "limits" | "agentMibPerDay" | "diskDays">): (
  context: Pick<Context, "rewardPool" | "chain" | "settings" | "registrations">,
  input: z.output<typeof views.limits.input>,
) => Promise<Limits> {
  let folded: Limit[] | null = null;
  const fold = (settings: Context["settings"]) => [
    ...senderLimits(limits),
    ...limitsIn(byteLimits({ agentMibPerDay, diskDays })),
    ...limitsIn(SPEC_LIMITS),
    ...limitsIn(processLimits),
    ...RULE_LIMITS.flatMap(limitsIn),
    minReward(settings),
    ...fieldLimits(contracts),
  ];

  const isAbout = limitSubjects(contracts);

  return async ({ chain, settings, rewardPool, registrations }, { about }) => {
    folded ??= fold(settings);
    const [first, ...others] = folded;
    const all = [
      ...paused(registrations.pause()),
      ...(first ? [first] : []),
      rewardPace(rewardPool.pace.perHour()),
      ...economyOf({
        registrationsPerHour: limits.registrationsPerHour,
        perHour: rewardPool.pace.perHour(),
      }),
      ...others,
    ];
    const shown = about === undefined ? all : all.filter(isAbout(about));
    return {
      limits: shown,
      count: shown.length,
      more: false,
      honest_limits: honestLimits(chain?.network ?? null, about),
    };
  };
}

/** The rate limit stands first, whether it is on or not (spec: Limits, row 11). */
function senderLimits(limits: SenderLimits): Limit[] {
  const { rateLimitPerMinute, registrationsPerHour, networkShare, siteShare } = limits;
  const rateLimit = { id: "rate_limit", unit: "requests per minute", applies_to: "all routes" };
  if (rateLimitPerMinute === 0 && registrationsPerHour === 0)
    return [{ ...rateLimit, value: null, what: NO_RATE_LIMIT }];
  const isOn = rateLimitPerMinute > 0;
  const per_network = networkShare * rateLimitPerMinute;
  const what = `Rate limit: for each agent; ${per_network} for each network of callers (an IPv4 address or an IPv6 /64; ${siteShare * per_network} for an IPv6 /48); per node. A 401 counts as five.`;
  return [
    { ...rateLimit, value: isOn ? rateLimitPerMinute : null, what: isOn ? what : NO_RATE_LIMIT },
    {
      id: "registrations",
      what: "Registrations from one network of callers; per node",
      value: registrationsPerHour > 0 ? registrationsPerHour : null,
      unit: "registrations per hour",
      applies_to: "POST /register",
    },
  ];
}

/** While the operator lets nobody register, that stands before all else. */
const paused = (pause: ReturnType<Context["registrations"]["pause"]>): Limit[] =>
  pause === null
    ? []
    : [
        {
          id: "registrations_paused",
          what: `Registrations are paused for everybody and go on by themselves. Reason: ${pause.reason}`,
          value: pause.ends_at,
          unit: "Unix second in which it ends",
          applies_to: "POST /register",
        },
      ];

const NO_RATE_LIMIT =
  "Rate limit: none is enforced today; one may be added and will be listed first";

/** It can be announced while the service runs, so it is read for each answer. */
const rewardPace = (perHour: number | null): Limit => ({
  id: "rewards_per_hour",
  what:
    perHour === null
      ? "Rewards in the whole network: no number is in force; one may be announced at GET /verify"
      : "Rewards in the whole network: more acts earn nothing and are not paid later",
  value: perHour,
  unit: "rewards per hour",
  applies_to: "reward entitlements",
});

/** What the operator has set, so it stands in no table of constants. */
const minReward = ({ minReward_raw }: Pick<Context["settings"], "minReward_raw">): Limit => ({
  id: "min_reward",
  what: "The smallest checked contribution that earns a reward; 0: each one does",
  value: String(minReward_raw),
  unit: "raw (1 XNO is 10^30)",
  applies_to: "POST /contribute",
});
