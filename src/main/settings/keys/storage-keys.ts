import { key } from "../setting-key.ts";
import { matching, POSTGRES_URL, postgresUrl, whole } from "../setting-texts.ts";

/** Storage and processes. In the order of the operators' guide. */
export const STORAGE_KEYS = {
  dataDir: key({
    variable: "CAIRN_DATA_DIR",
    isPath: true,
    meaning: "The folder of the database file, the operator's key and the signer's memory",
    fallback: "./data",
    allowed: "a folder",
    parse: matching(/./),
  }),
  databaseUrl: key<string | null>({
    variable: "CAIRN_DATABASE_URL",
    meaning:
      "A `postgres://` URL, of up to 8 hosts, parted by commas. Unless set, the database is the SQLite file `cairn.db` in the data folder. [PostgreSQL](postgresql.md)",
    fallback: null,
    allowed: POSTGRES_URL,
    parse: postgresUrl,
    isSecret: true,
  }),
  databaseReadUrl: key<string | null>({
    variable: "CAIRN_DATABASE_READ_URL",
    meaning:
      "A `postgres://` URL of a replica of that database, which then answers public reads without a token. [A replica for reads](postgresql.md#a-replica-for-reads)",
    fallback: null,
    allowed: POSTGRES_URL,
    parse: postgresUrl,
    isSecret: true,
  }),
  databaseConnections: key({
    variable: "CAIRN_DATABASE_CONNECTIONS",
    meaning:
      "Connections of each of the two pools that a process keeps to PostgreSQL, 4 to 64. [How many a server needs](postgresql.md#connections)",
    fallback: 10,
    allowed: "4 to 64 connections",
    parse: whole(4, 64),
  }),
  backupDir: key<string | null>({
    variable: "CAIRN_BACKUP_DIR",
    isPath: true,
    meaning:
      "A folder in which the service makes [backups](backup.md) by itself. Unless set, it makes none",
    fallback: null,
    allowed: "a folder",
    parse: matching(/./),
  }),
  backupEvery_h: key({
    variable: "CAIRN_BACKUP_EVERY_H",
    meaning: "Hours between two of them, 1 to 720",
    fallback: 24,
    allowed: "1 to 720 hours",
    parse: whole(1, 720),
  }),
  backupKeep: key({
    variable: "CAIRN_BACKUP_KEEP",
    meaning: "How many of them stay in the folder, 1 to 1000; older ones are deleted",
    fallback: 14,
    allowed: "1 to 1000 copies",
    parse: whole(1, 1_000),
  }),
  workers: key({
    variable: "CAIRN_WORKERS",
    meaning:
      "Processes that answer the network, 1 to 64. With more than one, another beside them does everything else. [Several processes](scale.md#several-processes)",
    fallback: 1,
    allowed: "1 to 64 processes",
    parse: whole(1, 64),
  }),
} as const;
