import { fieldsIn } from "../../../platform/kernel/contract/entry-kind.ts";
import type { Seconds } from "../../../platform/kernel/time.ts";
import { entriesOfKinds, recordedBody } from "../../../platform/ledger/entry-queries.ts";
import type { JobContext } from "../../../platform/ledger/seals/seal.ts";
import { ledgerHead } from "../../transfers/audit-queries.ts";
import type { MarketViolation } from "../audit/audit.ts";
import * as entries from "../entries.ts";
import { payoutUse, refundUse } from "../steps/sending.ts";
import type { MarketSend } from "../tables.ts";
import * as sql from "./recheck-queries.ts";
import { RECHECK_EVERY_S } from "./rechecks.ts";

const CHECKED = "transfer_checked";
const KINDS = JSON.stringify(["payout", "refund", CHECKED]);
/** Entries that one look passes over: few of them are of these kinds. */
const SLICE = 1_000;

/** A transfer that rests on the operator's word, until the chain has answered. */
interface Unanswered {
  readonly order_id: number;
  readonly at: Seconds;
}

/**
 * Looks after the rows by which the chain is asked again about what the operator recorded unchecked. A row that is
 * gone, that claims an answer that no entry has, or that waits for longer than an hour, is put back: the ledger
 * says what has to be asked. Each is reported once.
 */
export function unaskedSends() {
  const unanswered = new Map<MarketSend, Unanswered>();
  const reported = new Set<MarketSend>();
  let after_id = 0;

  async function readOn({ read, yieldToRequests }: Looking): Promise<void> {
    const { last_id = 0 } = (await ledgerHead.first(read, {})) ?? {};
    for (; after_id < last_id; await yieldToRequests()) {
      const to_id = Math.min(after_id + SLICE, last_id);
      const entries = await entriesOfKinds.all(read, { kinds: KINDS, after_id, to_id });
      for (const entry of entries) follow(unanswered, entry);
      after_id = to_id;
    }
  }

  return async (context: Looking): Promise<readonly MarketViolation[]> => {
    await readOn(context);
    const { read, write, clock } = context;
    const found: MarketViolation[] = [];
    for (const [sent, { order_id, at: recorded_at }] of unanswered) {
      const next_try_at = clock.now() + RECHECK_EVERY_S;
      const row = await sql.recheckOf.first(read, { sent });
      if (row?.found === null && row.next_try_at <= next_try_at) continue;
      // It may have been answered since the last entry that was read.
      if ((await recordedBody(read, { kind: CHECKED, ref: sent })) !== undefined) continue;
      const back = { sent, order_id, recorded_at, next_try_at };
      await write((tx) => sql.putBackRecheck.run(tx, back));
      if (!reported.has(sent)) found.push({ invariant: "I16", order_id });
      reported.add(sent);
    }
    return found;
  };
}

type Looking = Pick<JobContext, "read" | "write" | "clock" | "yieldToRequests">;

const SENT = ["order_id", "n", "currency", "checked"] as const;

/** The field has no other values. */
const isSend = (of: string): of is MarketSend => /^(?:payout|refund)\//.test(of);

/** What a ledger has to have answered after its next entry. */
function follow(
  unanswered: Map<MarketSend, Unanswered>,
  { kind, at, body }: { readonly kind: string; readonly at: Seconds; readonly body: string },
): void {
  if (kind === CHECKED) {
    const { of } = fieldsIn(entries.transferChecked, body, "of");
    if (isSend(of)) unanswered.delete(of);
    return;
  }
  const {
    order_id,
    n = 1,
    currency,
    checked,
  } = kind === "refund"
    ? fieldsIn(entries.refund, body, ...SENT)
    : fieldsIn(entries.payout, body, ...SENT);
  if (currency !== "xno" || checked === 1) return;
  const sent = kind === "refund" ? refundUse(order_id, n) : payoutUse(order_id, n);
  unanswered.set(sent, { order_id, at });
}
