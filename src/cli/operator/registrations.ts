import * as z from "zod";
import {
  pauseRegistrations,
  resumeRegistrations,
} from "../../domains/identity/registrations/pauses.ts";
import { PAUSE_MINUTES_MAX } from "../../domains/identity/rules.ts";
import { demandChange } from "../../domains/operator/act.ts";
import { reasonText, whole } from "../../domains/operator/values.ts";
import { isoOf } from "../../platform/kernel/iso-time.ts";
import { REFUSED, Stop } from "../command/stop.ts";
import { operatorCommand } from "./operator-command.ts";

export const REGISTRATION_COMMANDS = [
  operatorCommand({
    name: "registrations pause",
    summary: "let nobody register for some minutes: announced and signed; it ends by itself",
    about: "Everything else goes on. Services follow within about a second.",
    input: z.object({
      minutes: whole("N", 1, PAUSE_MINUTES_MAX).describe(`how long, 1 to ${PAUSE_MINUTES_MAX}`),
      reason: reasonText.describe("why; public, and shown to agents that want to register"),
    }),
    async run({ service: { context, signer }, values: pause }) {
      const ends_at = await pauseRegistrations(context, signer, pause);
      if (ends_at === null)
        throw new Stop(REFUSED, "Registrations are paused already. Resume them first.");
      const shown = isoOf(ends_at);
      return { text: `Nobody can register until ${shown}.`, facts: { ends_at } };
    },
  }),

  operatorCommand({
    name: "registrations resume",
    summary: "end a pause of registrations before its time",
    input: z.object({}),
    async run({ service: { context } }) {
      demandChange(await resumeRegistrations(context), "Registrations are not paused.");
      return { text: "Registrations go on.", facts: { paused: false } };
    },
  }),
];
