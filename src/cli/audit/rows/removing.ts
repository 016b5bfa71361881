import { REMOVABLE } from "../../../domains/removable.ts";
import { partsOf, type Removable } from "../../../domains/removals/removable.ts";
import type { Rows } from "../../../platform/ledger/rows/fold.ts";
import {
  type Entry,
  type Made,
  type Row,
  textIn,
  UNSEALED,
} from "../../../platform/ledger/rows/told.ts";
import { sha256Hex } from "../../../platform/ledger/sha256.ts";

const KINDS: ReadonlySet<string> = new Set(["text_hidden", "text_shown", "text_erased"]);

/** A removed text of a row: its figures as its own entry makes them. */
interface Kept {
  readonly row: string;
  readonly figures: Made;
}

/**
 * Follows the texts of a table that the operator takes away and gives back: meanwhile their columns have the
 * hash of what stands there instead.
 */
export function removing(table: string, rows: Rows<Made>, nameOf: (row: Row) => string) {
  const kept = new Map<string, Kept>();
  return {
    add(entry: Entry): void {
      if (!KINDS.has(entry.kind)) return;
      const of = REMOVABLE.get(textIn(entry, "of"));
      const ref = textIn(entry, "of_ref");
      const parts = of?.table === table ? partsOf(of.kind, ref) : null;
      if (of === undefined || parts === null) return;
      const row = nameOf(
        Object.fromEntries(
          Object.entries(of.row).map(([column, part]) => [column, parts[part] ?? null]),
        ),
      );
      const before = rows.get(row);
      if (before === undefined) return;
      const name = `${of.kind.kind} ${ref}`;
      const own = kept.get(name);
      if (entry.kind !== "text_shown") {
        if (own !== undefined) return;
        kept.set(name, { row, figures: before });
        rows.set(row, { ...before, ...standIns(of, before) });
      } else if (own !== undefined) {
        kept.delete(name);
        rows.set(row, { ...before, ...textsAmong(of, own.figures) });
      }
    },
    /** Another entry has given a row its texts anew. */
    renewed(row: string): void {
      for (const [name, own] of kept) if (own.row === row) kept.delete(name);
    },
  };
}

const textsAmong = ({ texts }: Removable, figures: Made): Made =>
  Object.fromEntries(Object.entries(figures).filter(([column]) => column in texts));

function standIns(of: Removable, figures: Made): Made {
  const own = Object.entries(textsAmong(of, figures)).map(([column, made]) => {
    const stand = of.texts[column] ?? null;
    const hasText = made !== null && made !== undefined && made !== UNSEALED;
    return [column, hasText ? (stand === null ? null : sha256Hex(stand)) : made] as const;
  });
  return Object.fromEntries(own);
}
