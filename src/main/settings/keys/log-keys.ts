import { WEB_URL } from "../../../platform/kernel/url.ts";
import { key } from "../setting-key.ts";
import { fileOrUrl, httpUrl, matching, oneOf, whole } from "../setting-texts.ts";

/** The keys of the public log and its witnesses, in the order of the operators' guide. */
export const LOG_KEYS = {
  logKeyFile: key<string | null>({
    variable: "CAIRN_LOG_KEY_FILE",
    isPath: true,
    meaning:
      "The key of the [public log](../reference/log.md): Ed25519, PKCS#8 PEM, mode 0600 (of root also 0640). Unless set, `log.key` in the data folder",
    fallback: null,
    allowed: "a file",
    parse: matching(/./),
  }),
  logUrl: key<string | null>({
    variable: "CAIRN_LOG_URL",
    meaning:
      "Where a [static copy](../reference/log.md#copies) of the public log is, as `GET /verify` names it: the address below which `checkpoint` is. Unless set, `/tlog` of the base URL",
    fallback: null,
    allowed: "an http or https URL without query",
    parse: httpUrl,
  }),
  witnessPolicyFile: key<string | null>({
    variable: "CAIRN_WITNESS_POLICY_FILE",
    isPath: true,
    meaning:
      "A [policy](../reference/log.md#witnesses): the witnesses of the public log, and how many of them a checkpoint needs",
    fallback: null,
    allowed: "a file",
    parse: matching(/./),
  }),
  witnessInterval_s: key({
    variable: "CAIRN_WITNESS_INTERVAL_S",
    meaning: "Seconds between two checkpoints that are sent to the witnesses, 1 to 86400",
    fallback: 60,
    allowed: "1 to 86400 seconds",
    parse: whole(1, 86_400),
  }),
  witnessPatience_s: key({
    variable: "CAIRN_WITNESS_PATIENCE_S",
    meaning:
      "Seconds after which a checkpoint without its quorum is given up for the newest, with the alarm `unwitnessed`, 1 to 86400",
    fallback: 600,
    allowed: "1 to 86400 seconds",
    parse: whole(1, 86_400),
  }),
  witnessLogs: key<string | null>({
    variable: "CAIRN_WITNESS_LOGS",
    meaning:
      "A list of logs of others (`logs/v0`), a file or a URL: with it the service is a [witness](../reference/log.md#a-witness-of-others) of them",
    fallback: null,
    allowed: `a file, or ${WEB_URL}`,
    parse: fileOrUrl,
  }),
  witnessName: key<string | null>({
    variable: "CAIRN_WITNESS_NAME",
    meaning:
      "The name of that witness, for ever: 1 to 200 printable ASCII characters without space and `+`. Unless set, the ledger's origin and `/witness`",
    fallback: null,
    allowed: "1 to 200 printable ASCII characters without space and +",
    parse: matching(/^[\x21-\x2a\x2c-\x7e]{1,200}$/),
  }),
  witnessKeyFile: key<string | null>({
    variable: "CAIRN_WITNESS_KEY_FILE",
    isPath: true,
    meaning:
      "Its key: Ed25519, PKCS#8 PEM, mode 0600 (of root also 0640), the same on every node. Unless set, `witness.key` in the data folder; the first start makes it",
    fallback: null,
    allowed: "a file",
    parse: matching(/./),
  }),
  witnessAllowPrivate: key({
    variable: "CAIRN_WITNESS_ALLOW_PRIVATE",
    meaning: "`on` lets witnesses have private addresses, such as 127.0.0.1 or 10.0.0.1",
    fallback: "off" as "on" | "off",
    allowed: "on or off",
    parse: oneOf("on", "off"),
    isSwitch: true,
  }),
} as const;
