import { entryKind, field } from "../../platform/kernel/contract/entry-kind.ts";

export const logKey = entryKind({
  kind: "log_key",
  ref: "<epoch>/<n>",
  fields: {
    epoch: field.id,
    log_origin: field.text,
    pubkey: field.hex64,
  },
  when: "The operator makes a key for the public log: `cairn log init`",
});
