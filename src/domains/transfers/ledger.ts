import { type ActsState, didAct } from "../../platform/ledger/acts.ts";
import type { Owed } from "../../platform/ledger/replay.ts";
import {
  type AnyTransition,
  fault,
  transition,
  type Violation,
} from "../../platform/ledger/transition.ts";
import { bannedAgent, type IdentityState, isBanned, unknownAgent } from "../identity/ledger.ts";
import * as entries from "./entries.ts";
import {
  CHECKED_USD_MAX,
  DECIMALS,
  hashOf,
  parseUsd,
  TARGET_USD,
  transferKey,
  unitsOf,
  worth,
} from "./rules.ts";

export interface TransfersState extends IdentityState, ActsState {
  /** What each transfer was used for. */
  readonly uses: Register;
  /** The hashes of the network's own accounts. */
  readonly ownAccounts: Set<string>;
  /** Those of them that invoices may name. */
  readonly escrows: Set<string>;
  /** Declared contributions, by id. */
  readonly declared: Set<number>;
}

export const emptyTransfers = () => ({
  uses: emptyRegister(),
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
  evolve({ ownAccounts, sha256Hex }, { body }) {
    ownAccounts.add(sha256Hex(body.account));
  },
  proves({ escrows }, { body: { account, role } }) {
    if (role === "escrow") escrows.add(account);
  },
  word: ({ body }) => (body.role === "escrow" ? "accounts that invoices may name" : undefined),
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
  refuses: {
    declared: fault("Only a declared contribution is superseded, and once."),
    hash: fault("A contribution makes way that has the hash."),
  },
  before: ({ declared, uses }: TransfersState, { body: { contribution_id } }) => ({
    isDeclared: declared.has(contribution_id),
    hasHash: holderOf(uses, `contribution/${contribution_id}`) !== undefined,
  }),
  rule({ isDeclared, hasHash }, _, refuses) {
    if (!isDeclared) return refuses.declared;
    return hasHash ? undefined : refuses.hash;
  },
  evolve({ declared }, { body }) {
    declared.delete(body.contribution_id);
  },
});

export const transfersTransitions: readonly AnyTransition<TransfersState>[] = [
  ownAccount,
  contribution,
  contributionSuperseded,
];

type Body = Readonly<Record<string, string | number | undefined>>;

/** The kinds that say what a transfer is for, and what they name a use. */
const USES: Readonly<Record<string, (body: Body) => string>> = {
  contribution: (body) => `contribution/${body["contribution_id"]}`,
  order_payment: (body) => `order_payment/${body["order_id"]}/${body["n"]}`,
  payout: ({ order_id, n }) => `payout/${n === undefined ? order_id : `${order_id}/${n}`}`,
  refund: (body) => `refund/${body["order_id"]}/${body["n"]}`,
  payment_refunded: (body) => `unmatched/${body["txid"]}`,
};

/** Kinds of entries that the register looks at; it passes over all others. */
export const TRANSFER_KINDS: readonly string[] = [...Object.keys(USES), "contribution_superseded"];

/** A use that has a hash. */
interface Holder {
  readonly used_by: string;
  /** 1 when the use takes the hash for ever; 0 while it is only declared. */
  readonly checked: 0 | 1;
  /** A superseded declaration has made way, and the entry of the use that took its place is to come. */
  readonly isAnnounced: boolean;
}

/** Every hash of a transfer with its use, and the hashes of the uses that are only declared. */
export interface Register {
  readonly holders: Map<string, Holder>;
  readonly declared: Map<string, string>;
}

export const emptyRegister = (): Register => ({ holders: new Map(), declared: new Map() });

/** The hash that a declared use has; undefined where another one has it. */
function holderOf({ holders, declared }: Register, use: string): string | undefined {
  const key = declared.get(use);
  return key !== undefined && holders.get(key)?.used_by === use ? key : undefined;
}

/** Whether an entry makes a use. */
function isMade({ names }: TransfersState, use: string): boolean {
  const [what = "", ...ref] = use.split("/");
  return names.has(what === "unmatched" ? "payment_refunded" : what, ref.join("/"));
}

/** Hashes that a declared use has left to another one, which no entry makes. */
export function* owedTransfers(state: TransfersState): Generator<Owed> {
  for (const { used_by: of, isAnnounced } of state.uses.holders.values())
    if (isAnnounced && !isMade(state, of))
      yield {
        of,
        since: null,
        sentence: "A declared contribution made way for it, and it never came.",
      };
}

/** One use of a transfer; or the end of a declared one. */
export type UseStep =
  | {
      readonly use: string;
      /** Its hash, or that of its name. */
      readonly sealed: string;
      readonly taking: boolean;
      /** The hash of the block that received it, where that was known. */
      readonly received: string | null;
      readonly currency: string | number | undefined;
    }
  | { readonly ended: string; readonly by: string };

/** What an entry says of a transfer; null for one that says nothing. */
export function useIn(kind: string, body: Body): UseStep | null {
  if (kind === "contribution_superseded")
    return { ended: `contribution/${body["contribution_id"]}`, by: String(body["by"]) };
  const use = Object.hasOwn(USES, kind) ? USES[kind]?.(body) : undefined;
  if (use === undefined) return null;
  const { txid_sha256, receive_txid, sent_txid, currency } = body;
  const txid = sent_txid ?? body["txid"];
  return {
    use,
    sealed: txid === undefined ? `other:${txid_sha256}` : transferKey(String(txid)),
    taking: kind !== "contribution" || body["verification"] === "checked",
    received: receive_txid === undefined ? null : transferKey(String(receive_txid)),
    currency,
  };
}

/**
 * Adds a use, or the end of one, to the register; `keysOf` has the names of its transfer there. Returns the use that
 * had one of them before (I13).
 */
export function registerUse(
  { holders, declared }: Register,
  step: UseStep,
  keysOf: (sealed: string) => readonly [string, ...string[]],
): string | undefined {
  if ("ended" in step) {
    const key = holderOf({ holders, declared }, step.ended);
    if (key !== undefined) holders.set(key, { used_by: step.by, checked: 1, isAnnounced: true });
    return undefined;
  }
  const { use, sealed, taking, received } = step;
  const keys = keysOf(sealed);
  let before: string | undefined;
  for (const each of received === null ? keys : [...keys, received]) {
    const holder = holders.get(each);
    const isFree = holder === undefined || (taking && holder.isAnnounced && holder.used_by === use);
    if (isFree) holders.set(each, { used_by: use, checked: taking ? 1 : 0, isAnnounced: false });
    else before ??= holder.used_by;
  }
  if (!taking) declared.set(use, keys[0]);
  return before;
}

/** Why an entry may not use its transfer; undefined: it may, or it names none. The use counts as made. */
export function followUse(
  { uses, sha256Hex }: TransfersState,
  { kind, body }: { readonly kind: string; readonly body: Body },
): Violation | undefined {
  const step = useIn(kind, body);
  if (step === null) return undefined;
  const isNamed = (sealed: string) => sealed.startsWith("other:") || hashOf(sealed) !== null;
  const before = registerUse(uses, step, (sealed) => [
    isNamed(sealed) ? sealed : `other:${sha256Hex(sealed)}`,
  ]);
  return before === undefined ? undefined : USED_BEFORE;
}

export const USED_BEFORE = fault("A transfer has one use, and another entry has used this one.");
