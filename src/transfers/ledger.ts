import { bannedAgent, type IdentityState, isBanned, unknownAgent } from "../identity/ledger.ts";
import { type ActsState, didAct } from "../ledger/acts.ts";
import { type AnyTransition, fault, transition } from "../ledger/transition.ts";
import * as entries from "./entries.ts";
import { CHECKED_USD_MAX, DECIMALS, parseUsd, TARGET_USD, unitsOf, worth } from "./rules.ts";

export interface TransfersState extends IdentityState, ActsState {
  /** The hashes of the network's own accounts. */
  readonly ownAccounts: Set<string>;
  /** Those of them that invoices may name. */
  readonly escrows: Set<string>;
  /** Declared contributions, by id. */
  readonly declared: Set<number>;
}

export const emptyTransfers = () => ({
  ownAccounts: new Set<string>(),
  escrows: new Set<string>(),
  declared: new Set<number>(),
});

const ownAccount = transition(entries.ownAccount, {
  refuses: {
    again: fault("Each of the network's own accounts is named once."),
    count: fault("The network's own accounts are counted from 1."),
  },
  before: ({ ownAccounts, sha256Hex }: TransfersState, { body }) => ({
    isKnown: ownAccounts.has(sha256Hex(body.account)),
    count: ownAccounts.size,
  }),
  rule({ isKnown, count }, { body }, refuses) {
    if (isKnown) return refuses.again;
    return body.n === count + 1 ? undefined : refuses.count;
  },
  evolve({ ownAccounts, escrows, sha256Hex }, { body: { account, role } }) {
    ownAccounts.add(sha256Hex(account));
    if (role === "escrow") escrows.add(account);
  },
});

const contribution = transition(entries.contribution, {
  refuses: {
    unknown: unknownAgent,
    banned: bannedAgent,
    checked: fault("A checked contribution is of XNO, with its amount and its proof."),
    own: fault("Money of the network's own accounts is no contribution."),
    named: fault("A checked contribution names its rate and the hash of its sender."),
    source: fault("A contribution names its transfer once, and a rate its source."),
    rate: fault("A contribution without a rate has no figure."),
    worth: fault("A contribution is worth its amount at the sealed rate."),
  },
  before: ({ ownAccounts, agents }: TransfersState, { body }) => ({
    agent: agents.get(body.agent),
    isOwn: ownAccounts.has(body.from_sha256 ?? ""),
  }),
  rule({ agent, isOwn }, entry, refuses) {
    const { currency, verification, amount_raw, amount, rate, usd_micro, proof } = entry.body;
    const { txid, txid_sha256, rate_source } = entry.body;
    if (agent === undefined) return refuses.unknown;
    if (isBanned(agent, entry)) return refuses.banned;
    const isChecked = verification === "checked";
    if (isChecked && (currency !== "xno" || amount_raw === undefined || proof === undefined))
      return refuses.checked;
    if (isChecked && isOwn) return refuses.own;
    const isNamed = rate !== undefined && entry.body.from_sha256 !== undefined;
    if (isChecked && !isNamed) return refuses.named;
    const isOnce = (txid === undefined) !== (txid_sha256 === undefined);
    const isSourced = (rate === undefined) === (rate_source === undefined);
    if (!(isOnce && isSourced)) return refuses.source;
    if (rate === undefined) return usd_micro === undefined ? undefined : refuses.rate;
    const decimals = DECIMALS[currency];
    const rate_e8 = parseUsd(rate);
    const units = isChecked ? BigInt(amount_raw ?? 0) : unitsOf(amount ?? "", decimals);
    const usd = rate_e8 === null || units === null ? null : worth(units, decimals, rate_e8);
    const isWorth = usd !== null && usd <= (isChecked ? CHECKED_USD_MAX : TARGET_USD);
    return isWorth && usd_micro === Number(usd) ? undefined : refuses.worth;
  },
  evolve(state, { at, body: { contribution_id: id, agent, verification } }) {
    if (verification === "checked") didAct(state, at, agent, `contribution/${id}`);
    else state.declared.add(id);
  },
  word: ({ body }) =>
    body.verification === "declared" ? "contributions that were only declared" : undefined,
});

const contributionSuperseded = transition(entries.contributionSuperseded, {
  refuses: { declared: fault("Only a declared contribution is superseded, and once.") },
  before: ({ declared }: TransfersState, { body }) => declared.has(body.contribution_id),
  rule: (isDeclared, _, refuses) => (isDeclared ? undefined : refuses.declared),
  evolve({ declared }, { body }) {
    declared.delete(body.contribution_id);
  },
});

export const transfersTransitions: readonly AnyTransition<TransfersState>[] = [
  ownAccount,
  contribution,
  contributionSuperseded,
];
