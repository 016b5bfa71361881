import { recordProjector } from "../../domains/claims/record.ts";
import { coinProjector } from "../../domains/coin/projector.ts";
import { countsProjector } from "../../domains/counters/counts.ts";
import { threadProjector } from "../../domains/feed/threads.ts";
import { topicProjector } from "../../domains/feed/topics.ts";
import { inboxProjector } from "../../domains/inbox/projector.ts";
import { marketProjector } from "../../domains/market/accounts/projector.ts";
import { repositoryProjector } from "../../domains/repositories/activity.ts";
import type { Projector } from "../../platform/ledger/sequencing/sequence.ts";

/** The tables maintained beside the ledger, in its order, wherever entries get their ids. */
export const PROJECTORS: readonly Projector[] = [
  threadProjector,
  topicProjector,
  recordProjector,
  countsProjector,
  coinProjector,
  repositoryProjector,
  marketProjector,
  inboxProjector,
];
