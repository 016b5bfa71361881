import { endedForm, isEndedSchema } from "../platform/kernel/ended-form.ts";
import { type ChainRecord, isOpen } from "./shapes.ts";
import { Stop, UNREADABLE } from "./stop.ts";
import { jsonOf } from "./transport.ts";

/** A Stop when the first line of an export is of a version before 0.3.0. */
export function refuseEndedExport(path: string, header: unknown): void {
  if (isOpen(header) && isEndedSchema(header["schema"]))
    throw new Stop(UNREADABLE, endedForm(`The export ${path}`));
}

/** A Stop when an entry begins a ledger whose first entry does not say which rules it follows. */
export function refuseEndedLedger(place: string, entry: unknown): void {
  const { kind, body } = isOpen(entry) ? entry : {};
  if (kind === "genesis" && isOpen(body) && body["rules"] === undefined)
    throw new Stop(UNREADABLE, endedForm(`The ledger in ${place}`));
}

/** The same of a line of a saved chain, in which a proof may stand for the first entry. */
export function refuseEndedRecord(place: string, record: ChainRecord): void {
  if (record.type === "entry" && record.id === 1) refuseEndedLedger(place, record);
  if (record.type === "proof")
    refuseEndedLedger(place, jsonOf(record.entry.slice(record.entry.indexOf("\n"))));
}
