import { type Entry, numberIn, textIn } from "../../../platform/ledger/rows/told.ts";
import { OPERATOR_HANDLE } from "../../identity/rules.ts";
import { type AgentTallies, agentTallies } from "./tallies.ts";

interface Claim {
  readonly isQuorum: boolean;
  /** Null where no day was named. */
  readonly resolve_by: number | null;
  readonly verdicts: { true: number; false: number; void: number };
}

interface Worth {
  readonly verification: string;
  readonly usd: bigint;
}

const usdIn = ({ body }: Entry, field: string): bigint => BigInt(body[field] ?? 0);

/** How many there are of everything, and what it is worth, as of the last entry that was added. */
export interface Counts {
  readonly agents: AgentTallies;
  readonly claims: ReadonlyMap<number, Claim>;
  readonly kinds: ReadonlyMap<string, number>;
  readonly usd: Readonly<Record<"checked" | "declared" | "repo" | "app", bigint>>;
  readonly counted: Readonly<
    Record<"checked" | "declared" | "profiles" | "hosted" | "proposals", number>
  >;
  /** The network's own agents, and their verdicts. */
  readonly network: Readonly<Record<"agents" | "votes", number>>;
  add(entry: Entry): void;
  /** Agents that registered; the network's own did not. */
  registered(): number;
  n(kind: string): number;
  answeredRequests(): number;
  /** Claims that more of the others' verdicts call true than false. */
  claimsAhead(): number;
  /** Of these, those whose day has come. */
  claimsSurvived(now: number): number;
}

/** The counts of no entry yet. */
export function countsFold(): Counts {
  const ofKind = new Map<string, number>();
  const usd = { checked: 0n, declared: 0n, repo: 0n, app: 0n };
  const contributions = new Map<number, Worth>();
  const counted = { checked: 0, declared: 0, profiles: 0, hosted: 0, proposals: 0 };
  const network = { agents: 0, votes: 0 };
  const claims = new Map<number, Claim>();
  const answered = new Set<number>();
  const agents = agentTallies();

  const contribute = (worth: Worth, sign: 1 | -1): void => {
    const name = worth.verification === "checked" ? "checked" : "declared";
    counted[name] += sign;
    usd[name] += BigInt(sign) * worth.usd;
  };

  const rules: Readonly<Record<string, (entry: Entry) => void>> = {
    agent({ body }) {
      if (body["handle"] === OPERATOR_HANDLE) network.agents++;
    },
    profile({ ref }) {
      if (ref.endsWith("/1")) counted.profiles++; // The first change publishes it.
    },
    repo(entry) {
      usd.repo += usdIn(entry, "target_usd_micro");
    },
    app(entry) {
      usd.app += usdIn(entry, "valuation_usd_micro");
      if (entry.body["html_sha256"] !== undefined) counted.hosted++;
    },
    contribution(entry) {
      const verification = textIn(entry, "verification");
      const worth = { verification, usd: usdIn(entry, "usd_micro") };
      contributions.set(numberIn(entry, "contribution_id"), worth);
      contribute(worth, 1);
    },
    contribution_superseded(entry) {
      const worth = contributions.get(numberIn(entry, "contribution_id"));
      if (worth !== undefined) contribute(worth, -1);
    },
    request_answer(entry) {
      if (numberIn(entry, "own") === 0 && entry.body["sort"] === undefined)
        answered.add(numberIn(entry, "request_id"));
    },
    claim(entry) {
      const { resolve_by } = entry.body;
      const kind = textIn(entry, "claim_kind");
      if (kind === "proposal") counted.proposals++;
      claims.set(numberIn(entry, "claim_id"), {
        isQuorum: kind === "quorum",
        resolve_by: resolve_by === undefined ? null : Number(resolve_by),
        verdicts: { true: 0, false: 0, void: 0 },
      });
    },
    verdict(entry) {
      const claim = claims.get(numberIn(entry, "claim_id"));
      if (claim?.isQuorum) network.votes++;
      const outcome = textIn(entry, "outcome");
      const isOwn = numberIn(entry, "own") === 1;
      if (claim !== undefined && !isOwn && isOutcome(outcome)) claim.verdicts[outcome]++;
    },
  };

  const ahead = (): Claim[] =>
    [...claims.values()].filter(
      ({ isQuorum, verdicts }) => !isQuorum && verdicts.true > verdicts.false,
    );

  return {
    agents,
    claims,
    kinds: ofKind,
    usd,
    counted,
    network,

    add(entry) {
      ofKind.set(entry.kind, (ofKind.get(entry.kind) ?? 0) + 1);
      rules[entry.kind]?.(entry);
      agents.add(entry);
    },

    registered: () => (ofKind.get("agent") ?? 0) - network.agents,
    n: (kind) => ofKind.get(kind) ?? 0,
    answeredRequests: () => answered.size,
    claimsAhead: () => ahead().length,
    claimsSurvived: (now) =>
      ahead().filter(({ resolve_by }) => resolve_by === null || resolve_by <= now).length,
  };
}

const isOutcome = (outcome: string): outcome is keyof Claim["verdicts"] =>
  ["true", "false", "void"].includes(outcome);
