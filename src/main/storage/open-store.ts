import type { Journal, Store } from "../../platform/db/engine.ts";
import type { SpaceAt } from "../../platform/db/sqlite/disk.ts";
import { openSqlite } from "../../platform/db/sqlite/store.ts";
import type { Alarm } from "../../platform/kernel/alarms.ts";
import { messageOf } from "../../verify/stop.ts";
import type { Configuration } from "../settings/settings.ts";
import { databaseFile } from "./database.ts";

/** The parameters and observers of an engine. */
interface EngineParts {
  readonly journal: Journal;
  readonly onEntries: () => void;
  readonly alarm: Alarm;
  /** Whether no other process reads the database all the time. */
  readonly isAlone: boolean;
  readonly spaceAt?: SpaceAt;
  readonly patience_ms?: number;
}

/** Opens the configured engine. Rejects with a sentence when it cannot be had. */
export async function openStore(configuration: Configuration, parts: EngineParts): Promise<Store> {
  const { databaseUrl: url, databaseReadUrl: readUrl, databaseConnections } = configuration;
  if (url === null) {
    const path = databaseFile(configuration);
    const onStall = () => parts.alarm("write_stalled", {});
    const flush = parts.isAlone ? "beside" : "within";
    const store = await openSqlite({ ...parts, path, onStall, flush });
    void store.lost.then((fault) => parts.alarm("log_not_flushed", { why: messageOf(fault) }));
    return store;
  }
  // Loaded only where it is used: a node on the embedded engine starts sooner without it.
  const { openPostgres } = await import("../../platform/db/postgres/store.ts");
  const systemNow = () => Math.floor(Date.now() / 1_000);
  return openPostgres({ ...parts, url, readUrl, connections: databaseConnections, systemNow });
}
