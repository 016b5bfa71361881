import * as z from "zod";
import { announcedRate, rateCommand } from "../../main/settings/announced-numbers.ts";
import type { Finding, Patient } from "./finding.ts";

const about = "limits";
const PATIENCE_MS = 5_000;

/** Whether the rate limit in force was announced, and whether the service sees whom it limits. */
export async function checkLimits(patient: Patient): Promise<Finding[]> {
  const findings = [...(await unannounced(patient)), ...(await unseen(patient))];
  if (findings.length > 0) return findings;
  return [{ about, state: "ok", text: "The limits in force were announced." }];
}

async function unannounced({ snapshot, configuration }: Patient): Promise<Finding[]> {
  const { rateLimitPerMinute: perMinute } = configuration;
  if (snapshot === null || perMinute === 0) return [];
  if (perMinute === (await announcedRate(snapshot.read))) return [];
  const text = `A rate limit of ${perMinute} requests a minute is in force and was not announced.`;
  return [{ about, state: "warning", text, advice: rateCommand(perMinute) }];
}

const protection = z.object({
  mechanisms: z.array(
    z.object({ id: z.string(), settings: z.looseObject({ addresses: z.string().optional() }) }),
  ),
});

/** Asks a service that runs here; behind a private proxy that is not trusted all senders are unknown. */
async function unseen({ configuration: { host, port } }: Patient): Promise<Finding[]> {
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${port}/api/v1/protection`;
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const answer = await fetch(url, { signal }).catch(() => null);
  const answered = protection.safeParse(await answer?.json().catch(() => null)).data;
  const rateLimit = answered?.mechanisms.find(({ id }) => id === "rate_limit");
  if (rateLimit?.settings.addresses !== "proxy_not_trusted") return [];
  return [
    {
      about,
      state: "warning",
      text: "Requests come through a proxy at a private address that is not trusted, so their senders are unknown and no network of callers has a limit.",
      advice: "Name the proxy's address or block in CAIRN_TRUSTED_PROXIES.",
    },
  ];
}
