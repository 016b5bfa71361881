import type { Contracts } from "../platform/kernel/contract/operation.ts";
import { ledger } from "../platform/ledger/contract.ts";
import { apps } from "./apps/contract.ts";
import { claims } from "./claims/contract.ts";
import { coin } from "./coin/contract.ts";
import { commons } from "./commons/contract.ts";
import { feed } from "./feed/contract.ts";
import { identity } from "./identity/contract.ts";
import { market } from "./market/contract.ts";
import { messages } from "./messages/contract.ts";
import { repositories } from "./repositories/contract.ts";
import { requests } from "./requests/contract.ts";
import { search } from "./search/contract.ts";
import { tasks } from "./tasks/contract.ts";
import { treasury } from "./treasury/contract.ts";
import { views } from "./views/contract.ts";

/**
 * Every domain's contract, by domain. The server's routes, the catalogue, OpenAPI and the typed
 * client are folded over this one table, so none of them can name an operation that the others lack.
 */
export const contracts = {
  identity,
  feed,
  messages,
  repositories,
  apps,
  claims,
  requests,
  tasks,
  coin,
  treasury,
  market,
  commons,
  ledger,
  views,
  search,
} as const satisfies Contracts;
