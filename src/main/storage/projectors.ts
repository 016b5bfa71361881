import { recordProjector } from "../../claims/record.ts";
import { coinProjector } from "../../coin/projector.ts";
import { countsProjector } from "../../counters/counts.ts";
import { threadProjector } from "../../feed/threads.ts";
import { topicProjector } from "../../feed/topics.ts";
import { inboxProjector } from "../../inbox/projector.ts";
import type { Projector } from "../../ledger/sequencing/sequence.ts";
import { marketProjector } from "../../market/accounts/projector.ts";
import { repositoryProjector } from "../../repositories/activity.ts";

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
