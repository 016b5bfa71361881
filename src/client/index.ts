export {
  type Change,
  connect,
  type FollowOptions,
  isEntry,
  type Network,
  type OpenEntry,
} from "./client.ts";
export { CairnError } from "./error.ts";
export type { InboxItem, InboxOptions } from "./inbox.ts";
export { iterate } from "./iterate.ts";
export type { Patience, Retry } from "./retries/patience.ts";
export type { Connection } from "./transport.ts";
export type {
  CallOptions,
  ErrorCode,
  LedgerEntry,
  NetworkCalls,
  Problem,
  Recovered,
  Retrying,
} from "./wire.ts";
