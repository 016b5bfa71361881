import { type Removable, removable } from "../removals/removable.ts";
import * as entries from "./entries.ts";

/** An application is hidden by `app hide`, and its page is emptied by `app purge`. Its address stays, with words of its name. */
export const APP_TEXTS = {
  app: removable({
    kind: entries.app,
    table: "app",
    row: { id: "app_id" },
    texts: { name: "", description: "", kind: null, homepage: null },
    hiddenBy: "hidden_at",
  }),
} as const satisfies Readonly<Record<string, Removable>>;
