import * as z from "zod";
import { ENTRY_KINDS } from "../../../entries.ts";
import type { EntryKind } from "../../../kernel/contract/entry-kind.ts";
import { fieldsOf } from "../../../kernel/contract/fields.ts";
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
    body: bodyOf(z.object(fields)),
  },
});

function bodyOf(input: z.ZodObject): Json {
  const required = fieldsOf({ input }).flatMap(([name, optional]) => (optional ? [] : [name]));
  const properties = Object.entries(input.shape).map(([name, field]) => {
    const { type, enum: words, const: only } = z.toJSONSchema(field);
    const values = { ...(words && { enum: words }), ...(only !== undefined && { const: only }) };
    return [name, { type, ...values }];
  });
  return { type: "object", properties: Object.fromEntries(properties), required };
}
