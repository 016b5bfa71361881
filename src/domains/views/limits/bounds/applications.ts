import * as apps from "../../../apps/rules.ts";
import type { LimitTable } from "../table.ts";

/** Hosted applications. */
export const APPLICATION_BOUNDS: LimitTable = {
  "hosted applications": {
    scripts_allowed: [
      "Different inline scripts of a page that run",
      apps.SCRIPTS_ALLOWED_MAX,
      "scripts",
    ],
    scripts_read: ["Scripts of a page checked; more do not run", apps.SCRIPTS_READ_MAX, "scripts"],
    scripts_refused: [
      "Refused inline scripts that an answer names",
      apps.SCRIPTS_REFUSED_SHOWN_MAX,
      "items",
    ],
  },
};
