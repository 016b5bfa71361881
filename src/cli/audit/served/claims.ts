import type * as z from "zod";
import type { claim } from "../../../claims/contract.ts";
import { CLAIM_STATUSES, PREVIOUS_WEEKS, VERDICTS_SHOWN_MAX } from "../../../claims/rules.ts";
import { WEEK_S, weekOf } from "../../../claims/weeks.ts";
import type { contracts } from "../../../contracts.ts";
import type { Made } from "../derived/derived.ts";
import { id, SERVICE_TEXT, unverified } from "./board.ts";
import { listed, moreOf, ownId, page } from "./compare/list.ts";
import * as rule from "./compare/rule.ts";
import {
  agent,
  byId,
  derived,
  type Facts,
  hashed,
  is,
  known,
  object,
  ofRow,
  orNull,
} from "./compare/rule.ts";
import { type Ledger, newest } from "./ledger.ts";
import { word } from "./reading/clock.ts";

type Out<Operation extends { output: z.ZodObject }> = z.output<Operation["output"]>;
type Claim = z.output<typeof claim>;

const rowOf = (ledger: Ledger, claim_id: number): Made | undefined =>
  ledger.row("claim", `claim ${claim_id}`);

const count = (row: Made | undefined, outcome: "true" | "false" | "void"): number =>
  Number(row?.[outcome] ?? 0);

const votesOn = (row: Made | undefined): number =>
  count(row, "true") + count(row, "false") + count(row, "void");

const tally = object<Claim["tally"]>({ true: is("true"), false: is("false"), void: is("void") });

const CLAIM = {
  id,
  kind: is("kind"),
  statement: hashed("statement"),
  agent: agent("agent"),
  about: orNull(({ row }) => row["about"] !== undefined, agent("about")),
  resolve_by: is("resolve_by"),
  status: word(CLAIM_STATUSES, ({ row }, now) => {
    if (votesOn(row) > 0) return "judged";
    const by = row["resolve_by"];
    return typeof by === "number" && by <= now ? "overdue" : "open";
  }),
  tally,
  flagged: is("flagged"),
  created_at: is("created_at"),
  verified: unverified,
};

export const claimRule = ofRow<Claim>("claim", byId("claim"), CLAIM);

/** Newest first, without the questions of the weeks. */
export const newestClaims = (ledger: Ledger, ids: readonly number[], limit: number) =>
  newest(ids, { limit, where: (n) => rowOf(ledger, n)?.["kind"] !== "quorum" });

const claimsPage = page("claims", {
  key: ownId,
  each: claimRule,
  first: ({ ledger }, n) => newestClaims(ledger, ledger.ids("claim"), n),
});

export const claimList = object<Out<typeof contracts.claims.list>>({
  claims: claimsPage.items,
  count: claimsPage.count,
  more: claimsPage.more,
  next: claimsPage.next,
});

type ClaimPage = Out<typeof contracts.claims.get>;

export const verdictRule = ofRow<ClaimPage["verdicts"][number]>("verdict", byId("verdict"), {
  id,
  claim_id: is("claim"),
  agent: agent("agent"),
  outcome: is("outcome"),
  evidence: hashed("evidence"),
  own: rule.yes("own"),
  created_at: is("created_at"),
  verified: unverified,
});

const verdictsOf = ({ ledger, asked }: Facts): readonly number[] =>
  ledger.idsBy("verdict", "claim", asked["id"]);

const verdicts = {
  name: "verdicts",
  key: ownId,
  each: verdictRule,
  first: (facts: Facts, n: number) => newest(verdictsOf(facts), { limit: n }),
  limit: () => VERDICTS_SHOWN_MAX,
};

export const claimPage = object<ClaimPage>({
  claim: claimRule,
  verdicts: listed(verdicts),
  verdicts_count: known((facts) => verdictsOf(facts).length),
  more: moreOf(verdicts),
});

const verdictsPage = page("verdicts", {
  key: ownId,
  each: verdictRule,
  first: verdicts.first,
});

export const verdictList = object<Out<typeof contracts.claims.verdicts>>({
  verdicts: verdictsPage.items,
  count: verdictsPage.count,
  more: verdictsPage.more,
  next: verdictsPage.next,
  total: known((facts) => verdictsOf(facts).length),
});

const ofKind = (ledger: Ledger, kind: string) =>
  ledger
    .ids("claim")
    .map((n) => ({ id: n, row: rowOf(ledger, n) }))
    .filter(({ row }) => row?.["kind"] === kind);

type Proposal = Out<typeof contracts.claims.proposals>["proposals"][number];
type Acceptance = NonNullable<Proposal["accepted"]>;

const acceptance = ofRow<Acceptance>("proposal_acceptance", (_, { of }) => `claim ${of["id"]}`, {
  at: is("accepted_at"),
  recognition_days: is("days"),
  announcement_id: is("announcement"),
});

const proposalsPage = page("proposals", {
  key: ownId,
  each: ofRow<Proposal>("claim", byId("claim"), {
    ...CLAIM,
    endorsements: is("true"),
    rejections: is("false"),
    accepted: orNull(
      ({ ledger, of }) => ledger.row("proposal_acceptance", `claim ${of["id"]}`) !== undefined,
      acceptance,
    ),
  }),
  first: ({ ledger }, n) =>
    ofKind(ledger, "proposal")
      .sort(
        (a, b) =>
          count(b.row, "true") - count(a.row, "true") ||
          count(a.row, "false") - count(b.row, "false") ||
          b.id - a.id,
      )
      .slice(0, n)
      .map((each) => each.id),
});

export const proposalList = object<Out<typeof contracts.claims.proposals>>({
  proposals: proposalsPage.items,
  count: proposalsPage.count,
  more: proposalsPage.more,
  next: proposalsPage.next,
  total: known(({ ledger }) => ofKind(ledger, "proposal").length),
});

type Challenge = Out<typeof contracts.claims.challenges>["challenges"][number];

/** The nearest that is to come first, then those just past. */
function challengesAt({ ledger, now }: Facts, n: number): readonly number[] {
  const all = ofKind(ledger, "challenge").map(({ id: claim_id, row }) => ({
    id: claim_id,
    by: Number(row?.["resolve_by"]),
  }));
  const ahead = all.filter(({ by }) => by > now).sort((a, b) => a.by - b.by || a.id - b.id);
  const past = all.filter(({ by }) => by <= now).sort((a, b) => b.by - a.by || b.id - a.id);
  return [...ahead, ...past].slice(0, n).map((each) => each.id);
}

const challengesPage = page("challenges", {
  key: ownId,
  each: ofRow<Challenge>("claim", byId("claim"), {
    ...CLAIM,
    answered: derived(({ row }) => votesOn(row) > 0),
  }),
  first: challengesAt,
});

export const challengeList = object<Out<typeof contracts.claims.challenges>>({
  challenges: challengesPage.items,
  count: challengesPage.count,
  more: challengesPage.more,
  next: challengesPage.next,
});

type Quorum = Out<typeof contracts.claims.quorum>;
type Question = Quorum["previous"][number];

const byClaim = (shown: rule.Shown): string => `claim ${shown["claim_id"]}`;

const QUESTION = {
  week: is("week"),
  question: hashed("statement"),
  claim_id: derived(({ of }) => Number(of["claim_id"])),
  opens_at: derived(({ row }) => Number(row["resolve_by"]) - WEEK_S),
  closes_at: is("resolve_by"),
  tally,
  votes: derived(({ row }) => votesOn(row)),
};

const weekIn = (row: Made | undefined): string => String(row?.["week"]);

/** The weeks before the present one, the newest first. */
const weeksBefore = ({ ledger, now }: Facts, n: number): readonly number[] =>
  ofKind(ledger, "quorum")
    .filter(({ row }) => weekIn(row) < weekOf(now).name)
    .sort((a, b) => (weekIn(a.row) < weekIn(b.row) ? 1 : -1))
    .slice(0, n)
    .map((each) => each.id);

export const quorumPage = ofRow<Quorum>("claim", byClaim, {
  ...QUESTION,
  how_to_vote: rule.untold(SERVICE_TEXT),
  previous: listed({
    name: "previous",
    key: (item) => Number(item["claim_id"]),
    each: ofRow<Question>("claim", byClaim, QUESTION),
    first: weeksBefore,
    limit: () => PREVIOUS_WEEKS,
  }),
});
