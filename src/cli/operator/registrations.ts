import {
  PAUSE_MINUTES_MAX,
  pauseRegistrations,
  resumeRegistrations,
} from "../../identity/registration-pauses.ts";
import { needed, reasonText, whole } from "../fields.ts";
import { command, demandChange } from "../operator-command.ts";
import { REFUSED, Stop } from "../stop.ts";

export const REGISTRATION_COMMANDS = [
  command({
    name: "registrations pause",
    summary: "let nobody register for some minutes: announced and signed; it ends by itself",
    about: "Everything else goes on. Services follow within about a second.",
    fields: {
      minutes: needed(whole("N", 1, PAUSE_MINUTES_MAX), `how long, 1 to ${PAUSE_MINUTES_MAX}`),
      reason: needed(reasonText, "why; public, and told to who wants to register"),
    },
    async run({ context, signer }, pause) {
      const ends_at = await pauseRegistrations(context, signer, pause);
      if (ends_at === null)
        throw new Stop(REFUSED, "Registrations are paused already. Resume them first.");
      const shown = new Date(ends_at * 1_000).toISOString();
      return { text: `Nobody can register until ${shown}.`, facts: { ends_at } };
    },
  }),

  command({
    name: "registrations resume",
    summary: "end a pause of registrations before its time",
    fields: {},
    async run({ context }) {
      demandChange(await resumeRegistrations(context), "Registrations are not paused.");
      return { text: "Registrations go on.", facts: { paused: false } };
    },
  }),
];
