import { join } from "node:path";
import type { Store, Tx } from "../../platform/db/engine.ts";
import { faultsOfFile, sqliteDraft, sqliteSnapshot } from "../../platform/db/sqlite/copy.ts";
import { refuseEndedFile } from "../../platform/db/sqlite/ended.ts";
import { type Draft, NoSchema, type Snapshot } from "../../platform/db/table-copy.ts";
import { txOver } from "../../platform/db/transaction.ts";
import { EndedForm } from "../../platform/kernel/ended-form.ts";
import { networkClock } from "../../platform/ledger/clocks/clock.ts";
import { oldestUnsequenced } from "../../platform/ledger/entry-queries.ts";
import { journalOf } from "../../platform/ledger/sequencing/sequence.ts";
import type { Configuration } from "../settings/settings.ts";
import { type AtomicFile, beginFile, copyInto } from "./atomic-file.ts";
import { PROJECTORS } from "./projectors.ts";

/** Where the embedded engine's database is. */
export const databaseFile = ({ dataDir }: Pick<Configuration, "dataDir">): string =>
  join(dataDir, "cairn.db");

/** Rejects with an EndedForm when the configured database is of a version before 0.3.0. It changes nothing. */
export async function refuseEnded(configuration: Configuration): Promise<void> {
  if (configuration.databaseUrl === null) return refuseEndedFile(databaseFile(configuration));
  const { refuseEndedPostgres } = await import("../../platform/db/postgres/copy.ts");
  await refuseEndedPostgres(configuration.databaseUrl);
}

/** The present state of the configured database. Rejects with a sentence when there is none. */
export async function openSnapshot(configuration: Configuration): Promise<Snapshot> {
  if (configuration.databaseUrl === null) return fileSnapshot(databaseFile(configuration));
  const { postgresSnapshot } = await import("../../platform/db/postgres/copy.ts");
  return postgresSnapshot(configuration.databaseUrl);
}

/** The state of a database file. Throws a sentence when it is none. */
export function fileSnapshot(path: string): Snapshot {
  try {
    return sqliteSnapshot(path);
  } catch (error) {
    if (error instanceof NoSchema || error instanceof EndedForm) throw error;
    const why = error instanceof Error ? error.message : error;
    throw new Error(`The database ${path} cannot be read: ${why}.`, { cause: error });
  }
}

/** A database that will be the configured one as soon as it is published, whole or not at all. */
export interface NewDatabase extends Pick<Draft, "schema" | "tables" | "insert" | "end" | "tx"> {
  publish(): Promise<void>;
  /** Leaves nothing behind, or what was published. */
  discard(): Promise<void>;
}

/** An empty one. Rejects with a sentence when there is a database already. */
export async function newDatabase(configuration: Configuration): Promise<NewDatabase> {
  const { databaseUrl } = configuration;
  await refuseEnded(configuration);
  if (databaseUrl === null) return draftAt(beginFile(databaseFile(configuration)));
  const { postgresDraft } = await import("../../platform/db/postgres/copy.ts");
  const draft = await postgresDraft(databaseUrl);
  return { ...draft, publish: draft.finish };
}

/** One that begins as a copy of a database file. Rejects like `newDatabase`. */
export async function copiedDatabase(
  configuration: Configuration,
  source: string,
): Promise<NewDatabase> {
  await refuseEnded(configuration);
  const place = beginFile(databaseFile(configuration));
  try {
    copyInto(place, source);
    const [fault] = faultsOfFile(place.unfinished);
    if (fault !== undefined) throw new Error(`${source} is damaged: ${fault}.`);
  } catch (error) {
    place.discard();
    throw error;
  }
  return draftAt(place);
}

async function draftAt(place: AtomicFile): Promise<NewDatabase> {
  try {
    const draft = await sqliteDraft(place.unfinished);
    return {
      ...draft,
      async publish() {
        await draft.finish();
        place.publish();
      },
      async discard() {
        await draft.discard();
        place.discard();
      },
    };
  } catch (error) {
    place.discard();
    throw error;
  }
}

/** What a database that nobody else sees lets the ledger do in it. */
export interface PrivateLedger extends Pick<Store, "write"> {
  readonly read: Tx;
  readonly clock: ReturnType<typeof networkClock>;
}

/**
 * The ledger of a database that is not published yet, after every entry in it has got its id. An
 * export of PostgreSQL may hold some that had none, and SQLite gives ids with the write only.
 */
export async function privateLedger(
  { tx }: NewDatabase,
  { clockAccepted }: Pick<Configuration, "clockAccepted">,
): Promise<PrivateLedger> {
  const systemNow = () => Math.floor(Date.now() / 1_000);
  const clock = networkClock({ now: systemNow }, clockAccepted ? "accepted" : "refused");
  const journal = journalOf({ clock, projectors: PROJECTORS });
  while ((await oldestUnsequenced.first(tx, {})) !== undefined) await journal.sequence(tx);
  return {
    read: tx,
    clock,
    async write(body) {
      const own = txOver(tx);
      const result = await body(own);
      if (own.entries.length > 0) await journal.settle(own, own.entries);
      return result;
    },
  };
}
