import { ENTRY_KINDS } from "../../domains/entries.ts";
import type { Entry } from "../../platform/ledger/rows/told.ts";

const REQUIRED: ReadonlyMap<string, readonly string[]> = new Map(
  ENTRY_KINDS.map(({ kind, fields }) => [
    kind,
    Object.keys(fields).filter((name) => fields[name]?.isOptional === false),
  ]),
);

/**
 * Throws when a body lacks a field of its kind, which would count as 0 or as empty. Kinds that only a
 * newer version appends have none.
 */
export function demandFields({ kind, body }: Pick<Entry, "kind" | "body">): void {
  const missing = REQUIRED.get(kind)?.find((name) => body[name] === undefined);
  if (missing !== undefined) throw new Error(`An entry of the kind ${kind} lacks ${missing}.`);
}
