import { ENTRY_KINDS } from "../../../domains/entries.ts";
import type { EntryKind, Shape } from "../../../platform/kernel/contract/entry-kind.ts";
import type { Json } from "./answers.ts";

const reference = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

const nameOf = ({ kind }: EntryKind): string => `LedgerEntry_${kind}`;

/**
 * Named schemas in which `LedgerEntry` is one of the kinds that this version appends, or the open
 * form: version 1 only grows, so a newer service may answer other kinds.
 */
export const withEntryKinds = ({ LedgerEntry: OpenEntry, ...others }: Json): Json => ({
  ...others,
  OpenEntry,
  LedgerEntry: { anyOf: [...ENTRY_KINDS.map(nameOf), "OpenEntry"].map(reference) },
  ...Object.fromEntries(ENTRY_KINDS.map((kind) => [nameOf(kind), entryOf(kind)])),
});

const entryOf = ({ kind, ref, fields, when }: EntryKind): Json => ({
  description: `${when}.`,
  type: "object",
  allOf: [reference("OpenEntry")],
  properties: {
    kind: { type: "string", const: kind },
    ref: { type: "string", description: ref },
    body: bodyOf(fields),
  },
});

function bodyOf(fields: Shape): Json {
  const properties = Object.entries(fields).map(([name, { type, words }]) => {
    const [only, ...others] = words ?? [];
    const isOne = others.length === 0 && typeof only === "number";
    const values = isOne ? { const: only } : words === undefined ? {} : { enum: words };
    return [name, { type, ...values }];
  });
  const required = Object.keys(fields).filter((name) => fields[name]?.isOptional === false);
  return { type: "object", properties: Object.fromEntries(properties), required };
}
