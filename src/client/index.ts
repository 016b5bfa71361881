export { contracts } from "../contracts.ts";
export type { LedgerEntry } from "../entries.ts";
export { solveChallenge } from "./challenge.ts";
export {
  type Change,
  connect,
  type FollowOptions,
  type InboxItem,
  type InboxOptions,
  isEntry,
  type Network,
  type OpenEntry,
} from "./client.ts";
export { checkCriterion, type TaskAnswer } from "./criterion.ts";
export { CairnError, isErrorOf } from "./error.ts";
export {
  type KeysChanged,
  type Mailbox,
  type Outgoing,
  openMessage,
  type ReadMessage,
  readMessages,
  sealMessage,
  sendMessage,
} from "./mailbox.ts";
export {
  type MessageKeys,
  makeMessageKeys,
  messageKeysIn,
  type PublicMessageKeys,
  publishMessageKeys,
} from "./message-keys.ts";
export { type MessageStore, messageMemory, type NonceSeen } from "./message-store.ts";
export type { Patience, Retry } from "./patience.ts";
export type { Recovered, Retrying } from "./retrying.ts";
export type { CallOptions, Connection } from "./transport.ts";
export {
  type Pinned,
  type Verdict,
  verifyAnnouncement,
  verifyProof,
  verifySeals,
  type Walk,
} from "./verify.ts";
