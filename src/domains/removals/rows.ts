import {
  begins,
  count,
  kindName,
  refName,
  sealed,
  secret,
  text,
  time,
  unset,
} from "../../platform/ledger/rows/columns.ts";
import { changes, GIVEN, makes, rowsOf, table } from "../../platform/ledger/rows/effects.ts";
import * as entries from "./entries.ts";
import { hidesItself } from "./rules.ts";

const thing = { kind: sealed("of"), ref: sealed("of_ref") } as const;
const named = { key: ["kind", "ref"] } as const;

/** Which texts are hidden or erased now. */
const removals = table(
  "text_removal",
  { ...thing, hidings: count, hidden_at: time, erased_at: unset },
  named,
);

/** The same of a thing that another kind of entry hides: its row begins with its erasing. */
const erasures = table(
  "text_removal",
  { ...thing, hidings: begins(0), hidden_at: unset, erased_at: time },
  named,
);

/** What the operator did to a text, and why. */
const notices = table(
  "text_notice",
  {
    kind: kindName,
    ref: refName,
    rule: sealed("rule"),
    reason: text("reason_sha256"),
    created_at: time,
  },
  named,
);

/** What each kind of entry does to rows. */
export const rows = rowsOf(entries, {
  textHidden: [makes(removals, { again: true }), makes(notices)],
  // A hiding and its end have the number of the hiding.
  textShown: [
    changes(removals, { hidden_at: null }, { only: { hidden_at: GIVEN }, counts: "hidings" }),
    makes(notices),
  ],
  textErased: [
    changes(
      removals,
      { erased_at: time },
      { only: { erased_at: null }, when: ({ of }) => !hidesItself(of) },
    ),
    // Two erasures at once: one finds the other's row, and its write begins anew.
    makes(erasures, { when: ({ of }) => hidesItself(of), unless: ["kind", "ref"] }),
  ],
});

/** The tables whose rows no single entry makes. */
export const otherTables = {
  hidden_text: secret("kind", "ref", "field", "body"),
} as const;
