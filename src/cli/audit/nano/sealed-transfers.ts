import type { Entry } from "../../../platform/ledger/rows/told.ts";

/** A transfer of XNO that an entry tells of, and what it says of it. */
export interface SealedTransfer {
  readonly ledger_id: number;
  /** The kind and the ref of the entry. */
  readonly entry: string;
  /** In upper case. */
  readonly hash: string;
  readonly amount_raw: string;
  /** The account that it went to, where the entry names it. */
  readonly to: string | null;
  /** The account that it came from, or its hash. */
  readonly from: string | null;
  readonly from_sha256: string | null;
  /** Whether it came from an escrow account, or went to one of the network's own. */
  readonly direction: "out" | "in";
  /** Whether the service says that a chain has shown it; else it is the operator's word. */
  readonly isChecked: boolean;
}

type Body = Entry["body"];

const text = (value: string | number | undefined): string | null =>
  value === undefined ? null : String(value);

const told = (
  { id, kind, ref }: Entry,
  body: Body,
  more: Partial<SealedTransfer>,
): SealedTransfer => ({
  ledger_id: id,
  entry: `${kind} ${ref}`,
  hash: String(body["txid"]).toUpperCase(),
  amount_raw: String(body["amount_raw"]),
  to: null,
  from: null,
  from_sha256: null,
  direction: "in",
  isChecked: body["checked"] === 1,
  ...more,
});

/** By kind, the transfer of an entry; null: it tells of none that can be looked up. */
const TRANSFERS: Readonly<Record<string, (entry: Entry) => SealedTransfer | null>> = {
  contribution(entry) {
    const { body } = entry;
    if (body["currency"] !== "xno" || body["verification"] !== "checked") return null;
    return told(entry, body, { from_sha256: text(body["from_sha256"]), isChecked: true });
  },
  order_payment(entry) {
    const { body } = entry;
    if (body["currency"] !== "xno") return null;
    return told(entry, body, { from_sha256: text(body["from_sha256"]) });
  },
  payment_unmatched: (entry) =>
    told(entry, entry.body, { from: text(entry.body["from"]), isChecked: true }),
  payout: outgoing,
  refund: outgoing,
  payment_refunded(entry) {
    const { sent_txid, to } = entry.body;
    const sent = { hash: String(sent_txid).toUpperCase(), to: text(to) };
    return told(entry, entry.body, { ...sent, direction: "out", isChecked: true });
  },
};

function outgoing(entry: Entry): SealedTransfer | null {
  const { body } = entry;
  if (body["currency"] !== "xno") return null;
  return told(entry, body, { to: text(body["to"]), direction: "out" });
}

/** All transfers of XNO that entries tell of, and the network's own accounts. */
export function sealedTransfers() {
  const transfers: SealedTransfer[] = [];
  const own = new Set<string>();
  const escrows = new Set<string>();
  return {
    transfers: transfers as readonly SealedTransfer[],
    own: own as ReadonlySet<string>,
    escrows: escrows as ReadonlySet<string>,
    add(entry: Entry): void {
      const { kind, body } = entry;
      if (kind === "own_account") own.add(String(body["account"]));
      if (kind === "own_account" && body["role"] === "escrow") escrows.add(String(body["account"]));
      const found = Object.hasOwn(TRANSFERS, kind) ? TRANSFERS[kind]?.(entry) : undefined;
      if (found != null) transfers.push(found);
    },
  };
}

export type SealedTransfers = Pick<
  ReturnType<typeof sealedTransfers>,
  "transfers" | "own" | "escrows"
>;
