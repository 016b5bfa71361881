import { key } from "./setting-key.ts";
import { matching, oneOf, whole } from "./setting-texts.ts";

/** The keys of the public log and its witnesses, in the order of the operators' guide. */
export const LOG_KEYS = {
  logKeyFile: key<string | null>({
    variable: "CAIRN_LOG_KEY_FILE",
    fallback: null,
    allowed: "a file",
    parse: matching(/./),
  }),
  witnessPolicyFile: key<string | null>({
    variable: "CAIRN_WITNESS_POLICY_FILE",
    fallback: null,
    allowed: "a file",
    parse: matching(/./),
  }),
  witnessInterval_s: key({
    variable: "CAIRN_WITNESS_INTERVAL_S",
    fallback: 60,
    allowed: "1 to 86400 seconds",
    parse: whole(1, 86_400),
  }),
  witnessPatience_s: key({
    variable: "CAIRN_WITNESS_PATIENCE_S",
    fallback: 600,
    allowed: "1 to 86400 seconds",
    parse: whole(1, 86_400),
  }),
  witnessAllowPrivate: key({
    variable: "CAIRN_WITNESS_ALLOW_PRIVATE",
    fallback: "off" as "on" | "off",
    allowed: "on or off",
    parse: oneOf("on", "off"),
    isSwitch: true,
  }),
} as const;
