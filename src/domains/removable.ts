import { APP_TEXTS } from "./apps/removable.ts";
import { CLAIM_TEXTS } from "./claims/removable.ts";
import { COIN_TEXTS } from "./coin/transfers.ts";
import type { HashingKind } from "./entries.ts";
import { POST_TEXTS } from "./feed/removable.ts";
import { HANDLES, PROFILE_TEXTS } from "./identity/removable.ts";
import { OFFER_TEXTS } from "./market/removable.ts";
import type { Removable } from "./removals/removable.ts";
import { FILE_CONTENTS } from "./repositories/files/hiding.ts";
import { REPOSITORY_TEXTS } from "./repositories/removable.ts";
import { REQUEST_TEXTS } from "./requests/removable.ts";
import { CONTRIBUTION_TEXTS } from "./transfers/removable.ts";

/** Why no command takes the texts of a kind away. */
interface Kept {
  readonly why: string;
}

const OPERATORS: Kept = { why: "the operator's own words, public for ever" };
const PAYMENT: Kept = { why: "proves a payment" };
const OWN_COMMAND: Kept = { why: "emptied by `cairn task purge`" };

/** Every kind that hashes texts: how they are removed, or why not. A new kind without a line does not compile. */
const TEXTS: Readonly<Record<HashingKind, Removable | Kept>> = {
  ...PROFILE_TEXTS,
  ...POST_TEXTS,
  ...APP_TEXTS,
  ...REPOSITORY_TEXTS,
  ...CLAIM_TEXTS,
  ...REQUEST_TEXTS,
  ...COIN_TEXTS,
  ...CONTRIBUTION_TEXTS,
  ...OFFER_TEXTS,

  post_hidden: OPERATORS,
  post_unhidden: OPERATORS,
  app_hidden: OPERATORS,
  app_unhidden: OPERATORS,
  app_purged: OPERATORS,
  file_purged: OPERATORS,
  text_hidden: OPERATORS,
  text_shown: OPERATORS,
  agent_banned: OPERATORS,
  agent_unbanned: OPERATORS,
  recognition: OPERATORS,
  task: OPERATORS,
  quest: OPERATORS,
  announcement: OPERATORS,
  ledger_restored: OPERATORS,
  offer_flagged: OPERATORS,
  offer_unflagged: OPERATORS,
  order_held: OPERATORS,
  order_resolved: OPERATORS,
  payment_refunded: OPERATORS,
  doubt_dismissed: OPERATORS,

  task_pass: OWN_COMMAND,
  task_fail: OWN_COMMAND,

  order: PAYMENT,
  order_payment: PAYMENT,
  payout: PAYMENT,
  payout_address: PAYMENT,
  refund: PAYMENT,
  refund_due: PAYMENT,
  debt_settled: PAYMENT,
};

const isRemovable = (text: Removable | Kept): text is Removable => "texts" in text;

/** The kinds whose texts the operator can remove. */
export const REMOVABLE: ReadonlyMap<string, Removable> = new Map(
  [HANDLES, FILE_CONTENTS, ...Object.values(TEXTS)].flatMap((text) =>
    isRemovable(text) ? [[text.kind.kind, text]] : [],
  ),
);
