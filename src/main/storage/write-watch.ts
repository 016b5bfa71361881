import type { Store } from "../../platform/db/engine.ts";
import type { Alarm } from "../../platform/kernel/alarms.ts";
import { Rejection } from "../../platform/kernel/contract/errors.ts";

/** A storage that has refused everything for so long takes no writes; a failover of seconds is none. */
const REFUSED_MAX_MS = 5_000;

/** A probe shows that the storage takes writes again when no other write was refused for so long. */
const QUIET_MS = 2_000;

/** Outages that begin sooner after the last one are told as one. */
const TOLD_AGAIN_MS = 60_000;

/** What the writes of this process have come to. */
export interface WriteWatch {
  /** Whether a write was refused by the storage, and none has shown since that it takes them. */
  isInDoubt(): boolean;
  /** A write that stores something has succeeded, which was made to find that out. */
  probed(): void;
  /** Why nothing is stored, in a sentence with the storage's own words; null while writes are. */
  refusal(): string | null;
}

interface Doubt {
  readonly since_ms: number;
  last_ms: number;
  words: string;
}

/**
 * The same store, whose writes are watched. Its health names what it refuses them for. A write that brings no entry
 * proves nothing: it may have changed no row.
 */
export function watchedWrites(
  store: Store,
  { alarm, now_ms }: { readonly alarm: Alarm; readonly now_ms: () => number },
): { readonly store: Store; readonly watch: WriteWatch } {
  let doubt: Doubt | null = null;
  let told_ms = Number.NEGATIVE_INFINITY;

  function refused(words: string): void {
    const now = now_ms();
    if (doubt === null && now - told_ms >= TOLD_AGAIN_MS) {
      told_ms = now;
      alarm("write_refused", { why: words });
    }
    doubt = { since_ms: doubt?.since_ms ?? now, last_ms: now, words };
  }

  function seen(error: unknown): never {
    const words = wordsOf(error);
    if (words !== null) refused(words);
    throw error;
  }

  /** While in doubt it is looked whether a write brings an entry; without doubt nothing is added to its way. */
  const write: Store["write"] = (body, kind) => {
    if (doubt === null) return store.write(body, kind).catch(seen);
    let brings = 0;
    const noting: typeof body = async (tx) => {
      const result = await body(tx);
      brings = tx.entries.length;
      return result;
    };
    return store.write(noting, kind).then((result) => {
      if (brings > 0) doubt = null;
      return result;
    }, seen);
  };

  const refusal = () =>
    doubt === null || now_ms() - doubt.since_ms < REFUSED_MAX_MS
      ? null
      : `The storage refuses all writes: ${doubt.words}.`;
  const watch: WriteWatch = {
    isInDoubt: () => doubt !== null,
    probed() {
      if (doubt !== null && now_ms() - doubt.last_ms >= QUIET_MS) doubt = null;
    },
    refusal,
  };
  const watchedStore: Store = {
    ...store,
    write,
    health: async () => {
      const health = await store.health();
      return { ...health, refusal: refusal() ?? health.refusal };
    },
  };
  return { store: watchedStore, watch };
}

/** What the storage said when it refused a write; null where the service itself refuses it. */
function wordsOf(error: unknown): string | null {
  if (!(error instanceof Rejection) || error.code !== "storage_unavailable") return null;
  const { cause } = error;
  if (!(cause instanceof Error)) return null;
  // An address with several meanings fails with an error for each, and no message of its own.
  const { message } = cause instanceof AggregateError ? (cause.errors[0] ?? cause) : cause;
  const code = "errcode" in cause ? ` (SQLite ${cause.errcode})` : "";
  return `${String(message).replace(/\.$/, "")}${code}`;
}
