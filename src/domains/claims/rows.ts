import {
  agent,
  begins,
  drawn,
  made,
  sealed,
  text,
  time,
  unsealed,
} from "../../platform/ledger/rows/columns.ts";
import {
  type Choice,
  changes,
  makes,
  ownStatements,
  plus,
  rowsOf,
  table,
} from "../../platform/ledger/rows/effects.ts";
import * as entries from "./entries.ts";

const claims = table("claim", {
  id: drawn("claim_id"),
  kind: sealed("claim_kind"),
  statement: text("statement_sha256"),
  agent: agent("agent"),
  about: agent("about"),
  resolve_by: sealed("resolve_by"),
  week: made(
    "sealed",
    ({ week }) => week,
    () => null,
  ),
  flagged: sealed("flagged"),
  client_ref: unsealed("private"),
  created_at: time,
  stage: begins("open"),
  verdicts_true: begins(0),
  verdicts_false: begins(0),
  verdicts_void: begins(0),
  verdicts_own: begins(0),
});

const verdicts = table("verdict", {
  id: drawn("verdict_id"),
  claim: sealed("claim_id"),
  agent: agent("agent"),
  outcome: sealed("outcome"),
  evidence: text("evidence_sha256"),
  own: sealed("own"),
  created_at: time,
});

const acceptances = table(
  "proposal_acceptance",
  {
    claim: sealed("claim_id"),
    days: sealed("days"),
    recognition: sealed("recognition_id"),
    announcement: sealed("announcement_id"),
    accepted_at: time,
  },
  { key: ["claim"], named: "claim" },
);

const TRUE = { stage: "judged", verdicts_true: plus(1) };
const FALSE = { stage: "judged", verdicts_false: plus(1) };
const VOID = { stage: "judged", verdicts_void: plus(1) };
const OWN = { verdicts_own: plus(1) };

/** The author's own verdict judges nothing. */
const judged: Choice = ({ own, outcome }) => {
  if (own === 1) return OWN;
  if (outcome === "void") return VOID;
  return outcome === "true" ? TRUE : FALSE;
};

/** What each kind of entry does to rows. */
export const rows = rowsOf(entries, {
  claim: [makes(claims, { unless: ["week"] })],
  verdict: ownStatements("the statement that counts one says how many there are then", [
    makes(verdicts),
    changes(claims, judged, { key: { id: sealed("claim_id") } }),
  ]),
  quorumOpened: ownStatements("the row of its claim begins with the week, which lets one through", [
    changes(claims, { week: sealed("week") }),
  ]),
  proposalAccepted: [makes(acceptances, { unless: ["claim"] })],
});
