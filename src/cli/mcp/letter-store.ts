import { closeSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import * as z from "zod";
import { keptUntil } from "../../client/messages/store.ts";
import { type MessageKeys, type MessageStore, makeMessageKeys } from "../../client/messages.ts";

const OWNER_ONLY = 0o600;
/** How long one process waits for another of the same agent. */
const BUSY_MS = 5_000;

const SCHEMA = `
CREATE TABLE IF NOT EXISTS own_keys (n INTEGER PRIMARY KEY, keys TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS pin (agent_id TEXT PRIMARY KEY, encryption TEXT NOT NULL, signing TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS handle (handle TEXT PRIMARY KEY, agent_id TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS nonce (
  sender TEXT NOT NULL, nonce TEXT NOT NULL, message_id INTEGER NOT NULL, until INTEGER NOT NULL,
  PRIMARY KEY (sender, nonce)
) STRICT`;

const ownKeys = z.object({
  encryption: z.string(),
  signing: z.string(),
  encryptionSecret: z.string(),
  signingSecret: z.string(),
});
const pinned = z.object({ encryption: z.string(), signing: z.string() });

/** What an agent's messages need, in a file of its own. */
export interface LetterStore extends MessageStore {
  /** The agent's keys; null before the first are made. */
  ownKeys(): MessageKeys | null;
  /** Makes the first keys unless another process has; resolves to those that count. */
  makeKeys(): MessageKeys;
}

/**
 * Opens the file, which only its owner may read. Several processes may use it at once: a host starts
 * one for each of its windows. Every change is durable when it returns.
 */
export function openLetterStore(file: string, now: () => number): LetterStore {
  closeSync(openSync(file, "a", OWNER_ONLY));
  const database = new DatabaseSync(file, { timeout: BUSY_MS });
  database.exec(SCHEMA);
  database.prepare("DELETE FROM nonce WHERE until <= ?").run(now());
  const end = keptUntil(Number.POSITIVE_INFINITY, now());
  database.prepare("UPDATE nonce SET until = ? WHERE until > ?").run(end, end);

  const own = (): MessageKeys | null => {
    const row = database.prepare("SELECT keys FROM own_keys WHERE n = 1").get();
    return row === undefined ? null : ownKeys.parse(JSON.parse(String(row["keys"])));
  };

  return {
    ownKeys: own,
    makeKeys() {
      const made = JSON.stringify(makeMessageKeys());
      database.prepare("INSERT OR IGNORE INTO own_keys VALUES (1, ?)").run(made);
      const keys = own();
      if (keys === null) throw new Error("Keys were stored and are gone.");
      return keys;
    },
    async pinned(agent_id) {
      const row = database.prepare("SELECT encryption, signing FROM pin WHERE agent_id = ?");
      return pinned.optional().parse(row.get(agent_id)) ?? null;
    },
    async pin(agent_id, { encryption, signing }) {
      database
        .prepare("INSERT OR REPLACE INTO pin VALUES (?, ?, ?)")
        .run(agent_id, encryption, signing);
    },
    async handleOwner(handle) {
      const row = database.prepare("SELECT agent_id FROM handle WHERE handle = ?").get(handle);
      return row === undefined ? null : String(row["agent_id"]);
    },
    async setHandleOwner(handle, agent_id) {
      database.prepare("INSERT OR REPLACE INTO handle VALUES (?, ?)").run(handle, agent_id);
    },
    async firstWith({ from, nonce, message_id, until }) {
      database
        .prepare("INSERT OR IGNORE INTO nonce VALUES (?, ?, ?, ?)")
        .run(from, nonce, message_id, until);
      const row = database
        .prepare("SELECT message_id FROM nonce WHERE sender = ? AND nonce = ?")
        .get(from, nonce);
      return z.object({ message_id: z.int() }).parse(row).message_id;
    },
  };
}
