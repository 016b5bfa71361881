import * as z from "zod";
import { paceLines } from "../../domains/coin/pace/choices.ts";
import { REWARDS_PER_HOUR_MAX } from "../../domains/coin/rules.ts";
import { warningOf } from "../../domains/operator/act.ts";
import { oneOf, onOrOff, prose, whole, words } from "../../domains/operator/values.ts";
import { addStarterTasks } from "../../domains/tasks/starter-tasks.ts";
import { rotateOperatorKey } from "../../main/service/key-rotation.ts";
import { signerFiles } from "../../main/service/operator-key.ts";
import { paceCommand, settleNumbers } from "../../main/settings/announced-numbers.ts";
import { asksForPace } from "../../main/settings/pace-question.ts";
import { isoOf } from "../../platform/kernel/iso-time.ts";
import {
  ANNOUNCED_BY_HAND,
  announce,
  RATE_LIMIT_MAX,
} from "../../platform/ledger/announcements/announce.ts";
import { ledgerHead } from "../../platform/ledger/queries.ts";
import { operatorKeys } from "../../platform/ledger/seals/keys.ts";
import { acceptClock } from "../../platform/ledger/seals/notice-queries.ts";
import { operatorCommand } from "./operator-command.ts";

const ANNOUNCEMENT_TITLE_LENGTH_MAX = 200;
const ANNOUNCEMENT_BODY_LENGTH_MAX = 10_000;

const PACE_QUESTION = [
  "Anybody may run many agents, and each earns up to a coin a day. Choose how many rewards an hour there are;",
  "with CAIRN_REWARDS_PER_HOUR=0 none are counted, and nobody is asked again.",
];

export const NETWORK_COMMANDS = [
  operatorCommand({
    name: "init",
    summary: "begin a network: its database, its key, its first entry",
    about:
      "`cairn serve` does the same at its first start. Choose CAIRN_ORIGIN before: it never changes.",
    ledger: "may_begin",
    input: z.object({}),
    async run({ service: { context, store, signer }, configuration }) {
      const { last_id = 0 } = (await ledgerHead.first(context.read, {})) ?? {};
      const isNew = last_id === 1;
      await settleNumbers(context, signer, configuration);
      await addStarterTasks(context);
      const { origin } = context.settings;
      const { engine } = await store.health();
      const public_key = (await operatorKeys(context.read)).at(-1)?.public_key ?? null;
      const key_file = signer === null ? null : signerFiles(configuration).keyFile;
      return {
        text: [
          isNew ? "A network has begun." : "This network has begun before; nothing was changed.",
          `  origin  ${origin}`,
          `  key     ${public_key ?? "none"}`,
          `  file    ${key_file ?? "not on this node"}`,
          `  engine  ${engine}`,
          ...(isNew && asksForPace(configuration)
            ? [
                "",
                ...PACE_QUESTION,
                ...paceLines(configuration.registrationsPerHour),
                "",
                paceCommand(3_000),
              ]
            : []),
        ].join("\n"),
        facts: { begun: isNew, origin, public_key, key_file, engine },
      };
    },
  }),

  operatorCommand({
    name: "key rotate",
    summary: "replace the key that signs the seals; the old one vouches for the new one",
    about:
      "The old key is kept beside the new one, because it still signs the seal that contains the rotation.\nA service that runs takes the new key by itself, unless it was started without one.",
    confirms: () => warningOf("final"),
    input: z.object({
      lost: onOrOff.describe(
        "the old key is lost: nothing links the new one, and readers must pin it anew",
      ),
    }),
    async run({ service, values: { lost }, configuration }) {
      const { rotation, oldFile, unnamed } = await rotateOperatorKey(
        service,
        configuration,
        lost ? "lost" : "kept",
      );
      const { keyFile } = signerFiles(configuration);
      return {
        text: [
          `Rotation ${rotation.rotation} is in the ledger; the new key counts from the seal after it.`,
          `  old  ${rotation.old_pubkey ?? "none"}${lost ? " (lost)" : `, in ${oldFile}`}`,
          `  new  ${rotation.new_pubkey}, in ${keyFile}`,
          ...(unnamed === null
            ? []
            : [
                `${keyFile} held a key that the ledger does not name: it is kept.`,
                `  kept ${unnamed.pubkey}, in ${unnamed.file}`,
              ]),
        ].join("\n"),
        facts: {
          ...rotation,
          anchored: rotation.anchored === 1,
          key_file: keyFile,
          old_key_file: oldFile,
          kept: unnamed,
        },
      };
    },
  }),

  operatorCommand({
    name: "clock accept",
    summary: "confirm that the clock is right, after a jump that is not followed",
    about:
      "A service whose clock has jumped ahead takes no writes until then. Look at the clock of the machine first, because an entry with a wrong time keeps it for ever. On PostgreSQL it is the server's clock that counts.",
    input: z.object({}),
    async run({ service: { store } }) {
      const at = store.now();
      await store.write((tx) => acceptClock.run(tx, { at }));
      const shown = isoOf(at);
      return { text: `The time is ${shown}. Services follow it within a second.`, facts: { at } };
    },
  }),

  operatorCommand({
    name: "announce",
    summary: "sign an announcement and publish it at GET /verify",
    confirms: () => warningOf("final"),
    input: z.object({
      kind: oneOf(...ANNOUNCED_BY_HAND).describe("what it is about"),
      title: words(ANNOUNCEMENT_TITLE_LENGTH_MAX).describe("one line"),
      body: prose(ANNOUNCEMENT_BODY_LENGTH_MAX).describe("the text"),
      rewards_per_hour: whole("N", 0, REWARDS_PER_HOUR_MAX)
        .optional()
        .describe(
          "from now on at most so many rewards an hour in the whole network; 0: no such number",
        ),
      rate_limit_per_minute: whole("N", 0, RATE_LIMIT_MAX)
        .optional()
        .describe("each node takes so many requests a minute from an agent; 0: no such limit"),
    }),
    async run({ service: { context, signer }, values: { kind, title, body, ...sent } }) {
      const { rewards_per_hour, rate_limit_per_minute } = sent;
      const numbers = {
        ...(rewards_per_hour === undefined ? {} : { rewards_per_hour }),
        ...(rate_limit_per_minute === undefined ? {} : { rate_limit_per_minute }),
      };
      const hasNumber = Object.keys(numbers).length > 0;
      if (hasNumber && kind !== "limit_added" && kind !== "rule_change")
        throw new Error("A number goes with --kind limit_added or rule_change.");
      const announcement = { kind, title, body, ...numbers };
      const announcement_id = await context.write((tx) =>
        announce(tx, context, signer, announcement),
      );
      return {
        text: `Announcement ${announcement_id} is published.`,
        facts: { announcement_id, kind },
      };
    },
  }),
];
