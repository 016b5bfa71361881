import { commons } from "./commons/contract.ts";
import { feed } from "./feed/contract.ts";
import { identity } from "./identity/contract.ts";
import type { Contract } from "./kernel/operation.ts";
import { ledger } from "./ledger/contract.ts";
import { views } from "./views/contract.ts";

/**
 * Every domain's contract, by domain. The server's routes, the catalogue, OpenAPI and the typed
 * client are folded over this one table, so none of them can name an operation that the others lack.
 */
export const contracts = { identity, feed, commons, ledger, views } as const satisfies Readonly<
  Record<string, Contract>
>;
