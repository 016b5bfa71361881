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
  context: Pick<Context, "chain">,
) => Promise<Limits> {
  let folded: Limit[] | null = null;
  const fold = () => [
    rateLimit(rateLimitPerMinute),
    ...limitsIn(SPEC_LIMITS),
    ...limitsIn(guards),
    ...limitsIn(RULE_LIMITS),
    ...fieldLimits(contracts),
  ];

  return async ({ chain }) => {
    folded ??= fold();
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
