import type { Context } from "../../platform/context.ts";
import { HOUR_S } from "../../platform/kernel/time.ts";
import type { Configuration } from "./settings.ts";

type Settings = Context["settings"];

/** What handlers may know of the configuration, with what only the start has found out. */
export const settingsOf = (
  configuration: Configuration,
  {
    baseUrl,
    origin,
    projectKey,
    escrowKey,
  }: Pick<Settings, "baseUrl" | "origin" | "projectKey" | "escrowKey">,
): Settings => ({
  baseUrl,
  origin,
  projectKey,
  escrowKey,
  appsOrigin: configuration.appsOrigin,
  logUrl: configuration.logUrl,
  powBits: configuration.powBits,
  sealInterval_s: configuration.sealInterval_s,
  sealMaxEntries: configuration.sealMaxEntries,
  addresses: {
    xmr: configuration.xmrAddress,
    btc: configuration.btcAddress,
    otherNote: configuration.otherAddressNote,
  },
  rates: {
    source: configuration.rateSource,
    xno_e8: configuration.xnoUsd,
    xmr_e8: configuration.xmrUsd,
    btc_e8: configuration.btcUsd,
  },
  payWithin_s: configuration.marketPayWithin_h * HOUR_S,
  minReward_raw: configuration.xnoMinReward_raw,
});
