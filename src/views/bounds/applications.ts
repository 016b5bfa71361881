import * as apps from "../../apps/rules.ts";
import type { LimitTable } from "../limit-table.ts";

/** Hosted applications. */
export const APPLICATION_BOUNDS: LimitTable = {
  "hosted applications": {
    scripts_allowed: [
      "Different inline scripts of a page that run",
      apps.SCRIPTS_ALLOWED_MAX,
      "scripts",
    ],
    scripts_read: [
      "Scripts of a page looked at; more do not run",
      apps.SCRIPTS_READ_MAX,
      "scripts",
    ],
    scripts_remembered: [
      "Pages asked for last whose scripts are remembered",
      apps.SCRIPTS_REMEMBERED_MAX,
      "pages",
    ],
    scripts_refused: [
      "Inline scripts named that do not run",
      apps.SCRIPTS_REFUSED_SHOWN_MAX,
      "items",
    ],
  },
};
