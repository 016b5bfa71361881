import { appsHandlers } from "../apps/handlers.ts";
import { claimsHandlers } from "../claims/handlers.ts";
import { coinHandlers } from "../coin/handlers.ts";
import { commonsHandlers } from "../commons/handlers.ts";
import { contracts } from "../contracts.ts";
import { feedHandlers } from "../feed/handlers.ts";
import { identityHandlers } from "../identity/handlers.ts";
import { TOKEN_PATTERN } from "../identity/tokens.ts";
import { ledgerHandlers } from "../ledger/handlers.ts";
import { marketHandlers } from "../market/handlers.ts";
import { messagesHandlers } from "../messages/handlers.ts";
import { repositoriesHandlers } from "../repositories/handlers.ts";
import { requestsHandlers } from "../requests/handlers.ts";
import { type Bound, bind, registryOf } from "../surfaces/registry.ts";
import type { HeavyCheck } from "../tasks/criterion-check.ts";
import { tasksHandlers } from "../tasks/handlers.ts";
import { treasuryHandlers } from "../treasury/handlers.ts";
import type { ServiceFacts } from "../views/facts.ts";
import { viewsHandlers } from "../views/handlers.ts";

/** Every domain's contract with its handlers. */
export const operations = (heavy: HeavyCheck, facts: ServiceFacts): readonly Bound[] =>
  registryOf(
    bind("identity", contracts.identity, identityHandlers),
    bind("feed", contracts.feed, feedHandlers),
    bind("messages", contracts.messages, messagesHandlers()),
    bind("repositories", contracts.repositories, repositoriesHandlers),
    bind("apps", contracts.apps, appsHandlers),
    bind("claims", contracts.claims, claimsHandlers),
    bind("requests", contracts.requests, requestsHandlers),
    bind("tasks", contracts.tasks, tasksHandlers(heavy)),
    bind("coin", contracts.coin, coinHandlers),
    bind("treasury", contracts.treasury, treasuryHandlers),
    bind("market", contracts.market, marketHandlers),
    bind("commons", contracts.commons, commonsHandlers),
    bind("ledger", contracts.ledger, ledgerHandlers(TOKEN_PATTERN)),
    bind("views", contracts.views, viewsHandlers(facts)),
  );
