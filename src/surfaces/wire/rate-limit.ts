import { isNewcomer } from "../../domains/identity/registrations/newcomers.ts";
import type { Agent, Registrations } from "../../platform/context.ts";
import type { Sender, SenderNames } from "../../platform/kernel/contract/operation.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import { HOUR_S, MINUTE_S } from "../../platform/kernel/time.ts";
import { type Buckets, rateOf } from "./buckets.ts";

/** A network of callers may do so many times what one agent may, and a /48 so many times what a network may. */
export const NETWORK_SHARE = 2;
export const SITE_SHARE = 4;
/** What an answer 401 costs. */
const UNAUTHORIZED_COST = 5;

/** What one agent may do in a minute, and one network in an hour; 0 is without a limit. */
export interface LimitSettings {
  readonly rateLimitPerMinute: number;
  readonly registrationsPerHour: number;
}

/** The rates of all buckets, by name; each network's name has a bucket for each purpose. */
export function ratesOf({ rateLimitPerMinute, registrationsPerHour }: LimitSettings) {
  const minute_ms = MINUTE_S * 1_000;
  const hour_ms = HOUR_S * 1_000;
  const perNetwork = NETWORK_SHARE * rateLimitPerMinute;
  return {
    agent: rateOf(rateLimitPerMinute, minute_ms),
    request: rateOf(perNetwork, minute_ms),
    request_site: rateOf(SITE_SHARE * perNetwork, minute_ms),
    wrong_token: rateOf(perNetwork, minute_ms),
    wrong_token_site: rateOf(SITE_SHARE * perNetwork, minute_ms),
    registration: rateOf(registrationsPerHour, hour_ms),
    registration_site: rateOf(SITE_SHARE * registrationsPerHour, hour_ms),
  };
}

type Purpose = "request" | "wrong_token" | "registration";

/** The first letters of buckets' names; requests have none, because each request would make a text. */
const PREFIX: Readonly<Record<Purpose, string>> = {
  request: "",
  wrong_token: "w",
  registration: "r",
};

const names = (purpose: Purpose, { network, site }: SenderNames): SenderNames => {
  const prefix = PREFIX[purpose];
  return prefix === ""
    ? { network, site }
    : { network: prefix + network, site: site && prefix + site };
};

/** Takes 1 of a network's bucket and of that of its /48, or of neither: 0, or seconds to wait. */
function takeOne(buckets: Buckets, purpose: Purpose, sender: Sender): number {
  const now = names(purpose, sender);
  const before = sender.earlier && names(purpose, sender.earlier);
  const network_s = buckets.takeOne(purpose, now.network, before?.network);
  if (now.site === null) return network_s;
  const site_s = buckets.takeOne(`${purpose}_site`, now.site, before?.site ?? undefined);
  if (network_s === 0 && site_s > 0) buckets.take(purpose, now.network, -1);
  if (site_s === 0 && network_s > 0) buckets.take(`${purpose}_site`, now.site, -1);
  return Math.max(network_s, site_s);
}

function take(buckets: Buckets, purpose: Purpose, sender: Sender, n: number): void {
  const { network, site } = names(purpose, sender);
  buckets.take(purpose, network, n);
  if (site !== null) buckets.take(`${purpose}_site`, site, n);
}

/** Those that one process counts. */
export interface CountedRegistrations extends Pick<Registrations, "take"> {
  take(sender: Sender | null | undefined): number;
}

/** Registrations of each network; attempts that fail later count too. */
export const registrationsOf = (
  buckets: Buckets,
  { registrationsPerHour }: LimitSettings,
): CountedRegistrations => ({
  take: (sender) =>
    registrationsPerHour === 0 || !sender ? 0 : takeOne(buckets, "registration", sender),
});

/** Counts requests before their route is known. An unknown sender is charged to nobody. */
export interface RateLimit {
  /** Takes 1 of the agent and 1 of its network: 0 when it may pass, else seconds until it may. */
  admit(agent: Agent | null, sender: Sender | null): number;
  /**
   * What an answer 401 costs beside. A token that was sent drains a bucket of its own, so that guesses
   * of one neighbour do not stop the others: seconds to wait instead of the 401 when that is empty.
   */
  unauthorized(sender: Sender | null, sent: "token" | "nothing"): number;
}

export interface RateLimitParts {
  readonly buckets: Buckets;
  readonly now: () => Seconds;
  /** Told of each request that is over the limit. */
  readonly refused: () => void;
}

export function rateLimitOf({ buckets, now, refused }: RateLimitParts): RateLimit {
  const charged = (wait_s: number): number => {
    if (wait_s > 0) refused();
    return wait_s;
  };
  return {
    admit(agent, sender) {
      const agent_s = agent === null ? 0 : buckets.takeOne("agent", agent.agent_id);
      if (sender === null || agent_s > 0) return charged(agent_s);
      const network_s = takeOne(buckets, "request", sender);
      if (network_s === 0 || agent === null) return charged(network_s);
      // Its neighbours cannot stop an agent that has been here for a while.
      if (!isNewcomer(agent, now())) return 0;
      buckets.take("agent", agent.agent_id, -1);
      return charged(network_s);
    },
    unauthorized(sender, sent) {
      if (sender === null) return 0;
      if (sent === "nothing") {
        take(buckets, "request", sender, UNAUTHORIZED_COST - 1);
        return 0;
      }
      take(buckets, "request", sender, -1);
      const wait_s = takeOne(buckets, "wrong_token", sender);
      if (wait_s === 0) take(buckets, "wrong_token", sender, UNAUTHORIZED_COST - 1);
      return charged(wait_s);
    },
  };
}
