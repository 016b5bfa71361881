import { key } from "../setting-key.ts";
import { matching, oneOf, whole } from "../setting-texts.ts";

/** The key, seals and the log. In the order of the operators' guide. */
export const SEAL_KEYS = {
  signingKeyFile: key<string | null>({
    variable: "CAIRN_SIGNING_KEY_FILE",
    isPath: true,
    meaning:
      "The operator's key: Ed25519, PKCS#8 PEM, mode 0600 (of root also 0640). Unless set, `operator.key` in the data folder",
    fallback: null,
    allowed: "a file",
    parse: matching(/./),
  }),
  onLostSeals: key({
    variable: "CAIRN_ON_LOST_SEALS",
    meaning:
      "Whether writes are taken while the database lacks a seal that was signed: `refuse` or `serve`. [Lost seals](troubleshoot.md#lost-seals)",
    fallback: "refuse" as "refuse" | "serve",
    allowed: "refuse or serve",
    parse: oneOf("refuse", "serve"),
  }),
  sealInterval_s: key({
    variable: "CAIRN_SEAL_INTERVAL_S",
    meaning: "Seconds after which an entry is sealed, 1 to 240",
    fallback: 60,
    allowed: "1 to 240 seconds",
    parse: whole(1, 240),
  }),
  sealMaxEntries: key({
    variable: "CAIRN_SEAL_MAX_ENTRIES",
    meaning: "Waiting entries after which a seal is made sooner, 1 to 65536",
    fallback: 8_192,
    allowed: "1 to 65536 entries",
    parse: whole(1, 65_536),
  }),
} as const;
