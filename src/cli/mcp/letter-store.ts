import { closeSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import * as z from "zod";
import { keptUntil } from "../../client/messages/store.ts";
import { type MessageKeys, type MessageStore, makeMessageKeys } from "../../client/messages.ts";
import { REPEATED_DAYS } from "../../platform/kernel/contract/retry-fields.ts";
import { days } from "../../platform/kernel/time.ts";

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
) STRICT;
CREATE TABLE IF NOT EXISTS sealed (
  client_ref TEXT NOT NULL, recipient TEXT NOT NULL, body_sha256 TEXT NOT NULL, recipient_key TEXT NOT NULL,
  box TEXT NOT NULL, until INTEGER NOT NULL,
  PRIMARY KEY (client_ref, recipient, body_sha256, recipient_key)
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
  /**
   * Keeps the box of a letter under its mark, and resolves to the first one that was kept for 30 days: each sealing
   * makes another box, and only the same one is the same write to the network.
   */
  keepBox(letter: MarkedLetter, box: string): string;
  /** The box that is kept for a letter; null without one. */
  keptBox(letter: MarkedLetter): string | null;
}

/** A letter that its sender marked. */
export interface MarkedLetter {
  readonly client_ref: string;
  /** The agent_id of the recipient. */
  readonly recipient: string;
  readonly body_sha256: string;
  /** The name of the key that it is sealed for, as its box begins. */
  readonly recipient_key: string;
}

const BOX_KEPT_S = days(REPEATED_DAYS);

const cellsOf = ({ client_ref, recipient, body_sha256, recipient_key }: MarkedLetter) =>
  [client_ref, recipient, body_sha256, recipient_key] as const;

/**
 * Opens the file, which only its owner may read. Several processes may use it at once: a host starts
 * one for each of its windows. Every change is durable when it returns.
 */
export function openLetterStore(file: string, now: () => number): LetterStore {
  closeSync(openSync(file, "a", OWNER_ONLY));
  const database = new DatabaseSync(file, { timeout: BUSY_MS });
  database.exec(SCHEMA);
  for (const table of ["nonce", "sealed"])
    database.prepare(`DELETE FROM ${table} WHERE until <= ?`).run(now());
  const end = keptUntil(Number.POSITIVE_INFINITY, now());
  database.prepare("UPDATE nonce SET until = ? WHERE until > ?").run(end, end);

  const own = (): MessageKeys | null => {
    const row = database.prepare("SELECT keys FROM own_keys WHERE n = 1").get();
    return row === undefined ? null : ownKeys.parse(JSON.parse(String(row["keys"])));
  };

  function keptBox(letter: MarkedLetter): string | null {
    const row = database
      .prepare(
        `SELECT box FROM sealed WHERE client_ref = ? AND recipient = ? AND body_sha256 = ?
          AND recipient_key = ? AND until > ?`,
      )
      .get(...cellsOf(letter), now());
    return row === undefined ? null : String(row["box"]);
  }

  return {
    keptBox,
    keepBox(letter, box) {
      database
        .prepare(
          `INSERT INTO sealed VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET box = excluded.box, until = excluded.until WHERE until <= ?`,
        )
        .run(...cellsOf(letter), box, now() + BOX_KEPT_S, now());
      return keptBox(letter) ?? box;
    },
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
