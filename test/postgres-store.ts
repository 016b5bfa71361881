import { Client } from "pg";
import type { Store } from "../src/platform/db/engine.ts";
import { openPostgres } from "../src/platform/db/postgres/store.ts";
import { entryKind, field } from "../src/platform/kernel/contract/entry-kind.ts";
import { networkClock } from "../src/platform/ledger/clocks/clock.ts";
import { RULES } from "../src/platform/ledger/rules.ts";
import { rulesFence } from "../src/platform/ledger/sequencing/fence.ts";
import { journalOf } from "../src/platform/ledger/sequencing/sequence.ts";
import { dropPostgres, freshPostgres } from "./database.ts";

/** A kind of entry that no domain has. */
export const TOLD = entryKind({
  kind: "told",
  ref: "<name>",
  fields: { name: field.text },
  when: "A test tells",
});

/** A PostgreSQL engine, and what a test may do behind its back. */
export interface Setting {
  readonly store: Store;
  readonly url: string;
  readonly alarms: readonly string[];
  /** Somebody else at the same database. */
  readonly other: Client;
}

/** Opens an engine on a database of its own for the length of `body`. */
export async function withStore(
  body: (setting: Setting) => Promise<void>,
  now = systemNow,
  rules = RULES,
): Promise<void> {
  const url = await freshPostgres();
  const alarms: string[] = [];
  const other = new Client(url);
  other.on("error", () => {});
  await other.connect();
  const store = await openStore(url, (what) => alarms.push(what), now, { rules });
  try {
    await body({ store, url, alarms, other });
  } finally {
    await store.close();
    await other.end();
    dropPostgres(url);
  }
}

/** Another node on the same database, whose own clock is `now`, and whose entries keep `rules`. */
export function openStore(
  url: string,
  alarm: (what: string) => void = () => {},
  now = systemNow,
  { patience_ms = WATCHDOG_MS, rules = RULES } = {},
): Promise<Store> {
  const clock = networkClock({ now: systemNow }, "refused");
  const journal = journalOf({ clock, projectors: [], fence: rulesFence(rules) });
  const reported = { alarm, onEntries: () => {} };
  const sizes = { connections: 10, patience_ms };
  return openPostgres({ url, readUrl: null, journal, ...reported, systemNow: now, ...sizes });
}

/** Unix seconds of this machine. */
export function systemNow(): number {
  return Math.floor(Date.now() / 1000);
}

/** Long enough for any machine: it ends a test that hangs and measures nothing. */
export const WATCHDOG_MS = 120_000;

/**
 * Resolves when `condition` is true, or resolves to true; rejects after two minutes. It asks ever more
 * seldom, because the asking takes processor time from what it waits for.
 */
export async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  const patience = performance.now() + WATCHDOG_MS;
  for (let pause_ms = 5; !(await condition()); pause_ms = Math.min(1.5 * pause_ms, 100)) {
    if (performance.now() > patience) throw new Error("It did not happen within two minutes.");
    await new Promise((resolve) => setTimeout(resolve, pause_ms));
  }
}

/** As many results of `make` as `count` says. */
export function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}
