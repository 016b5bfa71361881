import type { Db } from "../../platform/db/engine.ts";
import { fieldsIn } from "../../platform/kernel/contract/entry-kind.ts";
import { epochOf, firstOrigin } from "../../platform/kernel/proof/origin.ts";
import { LOG_KEY, type NoteKey, noteKey } from "../../platform/kernel/tlog/note.ts";
import { entriesOfKind } from "../../platform/ledger/entry-queries.ts";
import { originOf } from "../../platform/ledger/seals/epochs.ts";
import { sha256 } from "../../platform/ledger/sha256.ts";
import { logKey } from "./entries.ts";

/** The ledger as a transparency log, as its newest `log_key` names it. */
export interface Log {
  /** The name of the log, and of its key. */
  readonly origin: string;
  readonly key: NoteKey;
  /** The entry that names the key: no checkpoint ends before it. */
  readonly ledger_id: number;
  /** Where the log is served: `/tlog`, or `/tlog/2` in the second epoch. */
  readonly prefix: `/tlog${string}`;
}

const namedKeys = async (read: Db) =>
  (await entriesOfKind.all(read, { kind: logKey.kind })).filter(
    (row): row is typeof row & { ledger_id: number } => row.ledger_id !== null,
  );

const bodyOf = ({ body }: { readonly body: string }) =>
  fieldsIn(logKey, body, "epoch", "log_origin", "pubkey");

/** A key as the ledger names it. */
type NamedKey = ReturnType<typeof bodyOf>;

/** The keys of all logs of this ledger, oldest first. */
export const keysOf = async (read: Db): Promise<NamedKey[]> => (await namedKeys(read)).map(bodyOf);

/** The log of the present epoch; null where it has none. */
export async function currentLog(read: Db): Promise<Log | null> {
  const last = (await namedKeys(read)).at(-1);
  if (last === undefined) return null;
  const { epoch, log_origin, pubkey } = bodyOf(last);
  const { ledger_id } = last;
  const origin = (await originOf(read)) ?? "";
  if (epoch !== epochOf(origin)) return null;
  const suffix = log_origin.slice(`${firstOrigin(origin)}/log`.length);
  const key = noteKey(log_origin, LOG_KEY, pubkey, sha256);
  return { origin: log_origin, key, ledger_id, prefix: `/tlog${suffix}` };
}

/**
 * The origin of the nth log of an epoch. Each has its own: a log never signs two trees of which
 * neither continues the other, and an epoch begins where one was lost.
 */
export function logOrigin(ledger_origin: string, n: number): string {
  const epoch = epochOf(ledger_origin);
  const first = `${firstOrigin(ledger_origin)}/log`;
  if (n > 1) return `${first}/${epoch}/${n}`;
  return epoch === 1 ? first : `${first}/${epoch}`;
}
