import { sha256Hex } from "../ledger/sha256.ts";
import { hashOf, transferKey } from "./rules.ts";

/** As much of an entry as says what a transfer is for. */
interface Entry {
  readonly id: number;
  readonly kind: string;
  readonly body: Readonly<Record<string, string | number>>;
}

/** The kinds that say it, and what they name a use. */
const USES: Readonly<Record<string, (body: Entry["body"]) => string>> = {
  contribution: (body) => `contribution/${body["contribution_id"]}`,
  order_payment: (body) => `order_payment/${body["order_id"]}/${body["n"]}`,
  payout: ({ order_id, n }) => `payout/${n === undefined ? order_id : `${order_id}/${n}`}`,
  refund: (body) => `refund/${body["order_id"]}/${body["n"]}`,
  payment_refunded: (body) => `unmatched/${body["txid"]}`,
};

/** Kinds of entries that the fold looks at; it passes over all others. */
export const TRANSFER_KINDS: readonly string[] = [...Object.keys(USES), "contribution_superseded"];

/** A second use of a transfer. */
export interface TransferBreach {
  readonly invariant: "I13";
  readonly ledger_id: number;
  readonly rule: string;
}

/** What the ledger says of one hash. */
interface RegisteredUse {
  readonly used_by: string;
  /** 1 when the use takes the hash for ever; 0 while it is only declared. */
  readonly checked: 0 | 1;
}

/** One use, in the order of the ledger; or the end of a declared one. */
type Step =
  | {
      readonly ledger_id: number;
      readonly use: string;
      readonly sealed: string;
      readonly taking: boolean;
      /** The hash of the block that received it, where that was known. */
      readonly received: string | null;
    }
  | { readonly ended: string; readonly by: string };

/** The register of transfers, made again from the ledger alone. */
export interface TransferReplay {
  /** Adds the next entry. */
  add(entry: Entry): void;
  /** Tells the name of a transfer of which the ledger has the hash only. */
  learn(name: string): void;
  /** Every hash that an entry names, as `registerName` has it, with its use. */
  register(): ReadonlyMap<string, RegisteredUse>;
  /** Uses of XNO whose transfer may have one more hash, that of the receive, which no entry names. */
  readonly taking: ReadonlySet<string>;
  breaches(): readonly TransferBreach[];
}

/** A key of the register as the ledger has it: free text is there as a hash. */
export const registerName = (key: string): string =>
  hashOf(key) === null ? `other:${sha256Hex(key)}` : key;

/** Proves from the ledger that one hash has at most one use that takes it (I13). */
export function transferReplay(): TransferReplay {
  const steps: Step[] = [];
  const names = new Map<string, string>();
  const taking = new Set<string>();

  const keyOf = (sealed: string): string => {
    const name = names.get(sealed);
    return name === undefined ? sealed : registerName(transferKey(name));
  };

  function add({ id: ledger_id, kind, body }: Entry): void {
    if (kind === "contribution_superseded") {
      const ended = `contribution/${body["contribution_id"]}`;
      steps.push({ ended, by: String(body["by"]) });
    }
    const use = Object.hasOwn(USES, kind) ? USES[kind]?.(body) : undefined;
    if (use === undefined) return;
    const { txid_sha256, receive_txid, sent_txid } = body;
    const txid = sent_txid ?? body["txid"];
    const sealed = txid === undefined ? `other:${txid_sha256}` : transferKey(String(txid));
    const isTaking = kind !== "contribution" || body["verification"] === "checked";
    const received = receive_txid === undefined ? null : transferKey(String(receive_txid));
    steps.push({ ledger_id, use, sealed, taking: isTaking, received });
    if (isTaking && body["currency"] === "xno" && received === null) taking.add(use);
  }

  return {
    add,
    taking,
    learn: (name) => void names.set(`other:${sha256Hex(name)}`, name),
    register: () => registered(steps, keyOf).register,
    breaches: () => registered(steps, keyOf).breaches,
  };
}

interface Holder extends RegisteredUse {
  /** A superseded declaration has made way, and the entry of the use that took its place is to come. */
  readonly isAnnounced: boolean;
}

/** Goes through all uses in their order, as `useTransfer` and `declareTransfer` did. */
function registered(steps: readonly Step[], keyOf: (sealed: string) => string) {
  const register = new Map<string, Holder>();
  const declared = new Map<string, string>();
  const breaches: TransferBreach[] = [];
  const twice = (ledger_id: number, use: string, before: string): void => {
    const rule = `I13, ${use} is of a transfer that ${before} has used`;
    breaches.push({ invariant: "I13", ledger_id, rule });
  };

  for (const step of steps) {
    if ("ended" in step) {
      const key = declared.get(step.ended);
      const holder = key === undefined ? undefined : register.get(key);
      if (key !== undefined && holder?.used_by === step.ended)
        register.set(key, { used_by: step.by, checked: 1, isAnnounced: true });
      continue;
    }
    const { ledger_id, use, taking, received } = step;
    const key = keyOf(step.sealed);
    for (const each of received === null ? [key] : [key, received]) {
      const holder = register.get(each);
      const isFree =
        holder === undefined || (taking && holder.isAnnounced && holder.used_by === use);
      if (!isFree) twice(ledger_id, use, holder.used_by);
      else register.set(each, { used_by: use, checked: taking ? 1 : 0, isAnnounced: false });
    }
    if (!taking) declared.set(use, key);
  }
  return { register, breaches };
}
