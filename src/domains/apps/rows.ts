import {
  agent,
  begins,
  count,
  drawn,
  kindName,
  refName,
  sealed,
  text,
  time,
  unset,
} from "../../platform/ledger/rows/columns.ts";
import { changes, GIVEN, makes, rowsOf, table } from "../../platform/ledger/rows/effects.ts";
import * as entries from "./entries.ts";

const apps = table("app", {
  id: drawn("app_id"),
  agent: agent("agent"),
  repository: sealed("repo_id"),
  slug: text("slug_sha256"),
  name: text("name_sha256"),
  description: text("description_sha256"),
  kind: text("kind_sha256"),
  homepage: text("homepage_sha256"),
  valuation_usd_micro: sealed("valuation_usd_micro"),
  html_bytes: sealed("html_bytes"),
  html_sha256: sealed("html_sha256"),
  created_at: time,
  hidden_at: unset,
  hidings: begins(0),
  purged_at: unset,
});

/** What the operator did to an application, and why. */
const notices = table(
  "app_notice",
  {
    kind: kindName,
    ref: refName,
    app: sealed("app_id"),
    rule: sealed("rule"),
    reason: text("reason_sha256"),
    created_at: time,
  },
  { key: ["kind", "ref"] },
);

/** What each kind of entry does to rows; pages are compared by a fold of their own. */
export const rows = rowsOf(entries, {
  app: [makes(apps)],
  appHidden: [
    changes(apps, { hidden_at: time, hidings: count }, { only: { hidden_at: null } }),
    makes(notices),
  ],
  appUnhidden: [
    changes(
      apps,
      { hidden_at: null },
      { only: { hidden_at: GIVEN, purged_at: null }, counts: "hidings" },
    ),
    makes(notices),
  ],
  appPurged: [changes(apps, { purged_at: time }), makes(notices)],
});
