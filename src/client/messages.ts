export { encryptedStore } from "./messages/encrypted-store.ts";
export {
  type MessageKeys,
  makeMessageKeys,
  messageKeysIn,
  type PublicMessageKeys,
  publishMessageKeys,
} from "./messages/keys.ts";
export {
  type KeysChanged,
  type Mailbox,
  type Outgoing,
  openMessage,
  type ReadMessage,
  readMessages,
  sealMessage,
  sendMessage,
} from "./messages/mailbox.ts";
export { type MailboxOptions, type OpenMailbox, openMailbox } from "./messages/open-mailbox.ts";
export {
  type KeyStore,
  type MessageStore,
  messageMemory,
  messageMemory as memoryStore,
  type NonceSeen,
} from "./messages/store.ts";
