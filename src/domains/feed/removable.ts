import { type Removable, removable } from "../removals/removable.ts";
import * as entries from "./entries.ts";

/** A post is hidden by `post hide`, which keeps its text in its row. */
export const POST_TEXTS = {
  post: removable({
    kind: entries.post,
    table: "post",
    row: { id: "post_id" },
    texts: { body: "" },
    hiddenBy: "hidden_at",
  }),
} as const satisfies Readonly<Record<string, Removable>>;
