import { key } from "../setting-key.ts";
import { oneOf } from "../setting-texts.ts";

/** The lines that the service prints. In the order of the operators' guide. */
export const OUTPUT_KEYS = {
  logLevel: key({
    variable: "CAIRN_LOG_LEVEL",
    meaning:
      "`debug`, `info`, `warn`, `error` or `silent`. `info` has a line for each request; alarms are `error`",
    fallback: "info" as "debug" | "info" | "warn" | "error" | "silent",
    allowed: "debug, info, warn, error or silent",
    parse: oneOf("debug", "info", "warn", "error", "silent"),
  }),
  logFormat: key<"json" | "pretty" | null>({
    variable: "CAIRN_LOG_FORMAT",
    meaning:
      "`json` or `pretty`. Unless set, `pretty` on a terminal and `json` elsewhere. The log goes to standard output",
    fallback: null,
    allowed: "json or pretty",
    parse: oneOf("json", "pretty"),
  }),
} as const;
