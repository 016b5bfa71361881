export { encryptedStore } from "./encrypted-store.ts";
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
export {
  type KeyStore,
  type MessageStore,
  messageMemory,
  messageMemory as memoryStore,
  type NonceSeen,
} from "./message-store.ts";
export { type MailboxOptions, type OpenMailbox, openMailbox } from "./open-mailbox.ts";
