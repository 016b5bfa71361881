import { ADDRESS_KEYS } from "./keys/address-keys.ts";
import { ALARM_KEYS } from "./keys/alarm-keys.ts";
import { LOG_KEYS } from "./keys/log-keys.ts";
import { MONEY_KEYS } from "./keys/money-keys.ts";
import { OUTPUT_KEYS } from "./keys/output-keys.ts";
import { SEAL_KEYS } from "./keys/seal-keys.ts";
import { STORAGE_KEYS } from "./keys/storage-keys.ts";
import { STRANGER_KEYS } from "./keys/stranger-keys.ts";

/** Every key, under the headings of the operators' guide and of `cairn serve --help`. */
export const KEY_GROUPS = {
  Addresses: ADDRESS_KEYS,
  Storage: STORAGE_KEYS,
  Seals: SEAL_KEYS,
  "The public log": LOG_KEYS,
  Strangers: STRANGER_KEYS,
  Money: MONEY_KEYS,
  "Output and alarms": { ...OUTPUT_KEYS, ...ALARM_KEYS },
} as const;

/** The same without headings. A flag is its variable in kebab-case without the prefix. */
export const KEYS = {
  ...ADDRESS_KEYS,
  ...STORAGE_KEYS,
  ...SEAL_KEYS,
  ...LOG_KEYS,
  ...STRANGER_KEYS,
  ...MONEY_KEYS,
  ...OUTPUT_KEYS,
  ...ALARM_KEYS,
} as const;
