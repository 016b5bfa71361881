import type { Unknown } from "../../platform/ledger/replay.ts";
import { type LogVerified, logOutcome } from "../../verify/log/outcome.ts";
import type { OnEntry } from "../../verify/log/walk.ts";
import { type Breach, type RulesReplay, rulesExit } from "../../verify/rules.ts";
import { NO_BOOKS } from "../audit/audit.ts";
import { demandFields } from "../audit/entry.ts";
import { type Books, breachesIn, emptyBooks } from "../audit/replay.ts";
import { newReplay } from "../audit/rules/rules-audit.ts";

/** What the files of a copy came to. */
export interface LogAudit {
  readonly verified: LogVerified;
  /** Rules that an entry breaks, although the log holds it. */
  readonly breaches: readonly Breach[];
  /** What a newer version wrote. */
  readonly unknown: Unknown;
  /** Hints for the operator; they are no faults. */
  readonly warnings: readonly string[];
  readonly exit_code: number;
}

/** Verifies a whole copy, as `cairn verify --log` does, and makes the books from its entries. */
export async function auditLog(folder: string, policy: string): Promise<LogAudit> {
  const books = emptyBooks();
  const rules = newReplay();
  const onEntry = adding(books, rules);
  const verified = await logOutcome({ address: folder, keys: [], policy, onEntry });
  const breaches = breachesIn(books, rules);
  const warnings = books.warnings();
  const unknown = rules.unknown();
  const exit_code = verified.exit_code || rulesExit(breaches, unknown);
  return { verified, breaches, unknown, warnings, exit_code };
}

/** The books take entries up to the first that has no body of its kind, the rules take all. */
function adding(books: Books, rules: RulesReplay): OnEntry {
  let isOver = false;
  return (entry) => {
    rules.add(entry);
    if (isOver) return null;
    try {
      demandFields(entry);
      books.add(entry);
      return null;
    } catch {
      isOver = true;
      return NO_BOOKS;
    }
  };
}
