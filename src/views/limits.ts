import type * as z from "zod";
import type { Context } from "../context.ts";
import { RULE_LIMITS, SPEC_LIMITS } from "./bounds.ts";
import type { views } from "./contract.ts";
import type { ServiceFacts } from "./facts.ts";
import { fieldLimits } from "./field-limits.ts";
import { honestLimits } from "./honest-limits.ts";
import { limitsIn } from "./limit-table.ts";
import type { Limit } from "./shapes.ts";

type Limits = z.output<typeof views.limits.output>;

/**
 * Every bound, told from the constants and the schemas that the code itself obeys; the rate limit is
 * the first (spec: Limits). They are folded at the first request: no service starts later for them.
 */
export function limitsOf({
  contracts,
  guards,
  rateLimitPerMinute,
}: Pick<ServiceFacts, "contracts" | "guards" | "rateLimitPerMinute">): (
  context: Pick<Context, "chain" | "settings">,
) => Promise<Limits> {
  let folded: Limit[] | null = null;
  const fold = (settings: Context["settings"]) => [
    rateLimit(rateLimitPerMinute),
    ...limitsIn(SPEC_LIMITS),
    ...limitsIn(guards),
    ...limitsIn(RULE_LIMITS),
    minReward(settings),
    ...fieldLimits(contracts),
  ];

  return async ({ chain, settings }) => {
    folded ??= fold(settings);
    return {
      limits: folded,
      count: folded.length,
      honest_limits: honestLimits(chain?.network ?? null),
    };
  };
}

const rateLimit = (perMinute: number): Limit => ({
  id: "rate_limit",
  what:
    perMinute === 0
      ? "Rate limit: none is enforced today; one may be added and will be listed first"
      : "Rate limit: per agent; for public reads and calls without a token per network of the caller",
  value: perMinute === 0 ? null : perMinute,
  unit: "requests per minute",
  applies_to: "all routes",
});

/** What the operator has set, so it stands in no table of constants. */
const minReward = ({ minReward_raw }: Pick<Context["settings"], "minReward_raw">): Limit => ({
  id: "min_reward",
  what: "The smallest checked contribution that earns a reward; 0: each one does",
  value: String(minReward_raw),
  unit: "raw (1 XNO is 10^30)",
  applies_to: "POST /contribute",
});
