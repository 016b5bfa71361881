import type { Agent, Context } from "../platform/context.ts";
import type { HandlersOf } from "../platform/kernel/contract/operation.ts";
import { ledgerHandlers, type VerifierFacts } from "../platform/ledger/handlers.ts";
import { appsHandlers } from "./apps/handlers.ts";
import { claimsHandlers } from "./claims/handlers.ts";
import { coinHandlers } from "./coin/handlers.ts";
import { commonsHandlers } from "./commons/handlers.ts";
import type { contracts } from "./contracts.ts";
import { feedHandlers } from "./feed/handlers.ts";
import { identityHandlers } from "./identity/handlers.ts";
import { TOKEN_PATTERN } from "./identity/token-forms.ts";
import { marketHandlers } from "./market/handlers.ts";
import { messagesHandlers } from "./messages/handlers.ts";
import { repositoriesHandlers } from "./repositories/handlers.ts";
import { requestsHandlers } from "./requests/handlers.ts";
import { searchHandlers } from "./search/handlers.ts";
import type { HeavyCheck } from "./tasks/criterion-check.ts";
import { tasksHandlers } from "./tasks/handlers.ts";
import { receiptAt } from "./tlog/published.ts";
import { checkpointsAt, logAt } from "./tlog/shown.ts";
import { treasuryHandlers } from "./treasury/handlers.ts";
import type { ServiceFacts } from "./views/facts.ts";
import { viewsHandlers } from "./views/handlers.ts";

/** What some handlers need beside their context. */
interface Parts {
  /** Runs the checks of tasks that may have to be ended. */
  readonly heavy: HeavyCheck;
  readonly facts: ServiceFacts;
  /** The verifier that the service offers. */
  readonly verifier: VerifierFacts;
}

/** Every domain's handlers, by domain: the same keys as the table of contracts. */
export const handlersOf = ({
  heavy,
  facts,
  verifier,
}: Parts): HandlersOf<typeof contracts, Context, Agent> => ({
  identity: identityHandlers,
  feed: feedHandlers,
  messages: messagesHandlers(),
  repositories: repositoriesHandlers,
  apps: appsHandlers,
  claims: claimsHandlers,
  requests: requestsHandlers,
  tasks: tasksHandlers(heavy),
  coin: coinHandlers,
  treasury: treasuryHandlers,
  market: marketHandlers,
  commons: commonsHandlers,
  ledger: ledgerHandlers(TOKEN_PATTERN, verifier, { logAt, checkpointsAt, receiptAt }),
  views: viewsHandlers(facts),
  search: searchHandlers,
});
