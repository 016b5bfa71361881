import type { EntryKind, Shape } from "../src/platform/kernel/contract/entry-kind.ts";

/** What outsiders know of one kind: its `ref`, and by field its JSON schema; `?` marks optional ones. */
export interface ReleasedKind {
  readonly ref: string;
  readonly fields: Readonly<Record<string, FieldSchema>>;
}

interface FieldSchema {
  readonly type?: string;
  readonly enum?: readonly (string | number)[];
}

export type ReleasedKinds = Readonly<Record<string, ReleasedKind>>;

/** The records as they are compared with released ones. */
export const releasedForm = (kinds: readonly EntryKind[]): ReleasedKinds =>
  Object.fromEntries(
    kinds.map(({ kind, ref, fields }) => [kind, { ref, fields: schemas(fields) }]),
  );

const schemas = (fields: Shape): ReleasedKind["fields"] =>
  Object.fromEntries(
    Object.entries(fields).map(([name, { type, words, isOptional }]) => [
      `${name}${isOptional ? "?" : ""}`,
      { type, ...(words !== undefined && { enum: words }) },
    ]),
  );

/**
 * What a reader of released entries would stumble over, one line each. New kinds, new optional
 * fields and new words of an enumeration break nothing.
 */
export function breakingKinds(released: ReleasedKinds, current: ReleasedKinds): readonly string[] {
  return Object.entries(released).flatMap(([kind, was]) => {
    const is = current[kind];
    if (is === undefined) return [`${kind} is gone`];
    return [
      ...(isSameRef(was.ref, is.ref) ? [] : [`${kind} has another ref`]),
      ...Object.entries(was.fields).flatMap(([name, field]) =>
        inField(`${kind}.${name}`, field, is.fields[name]),
      ),
      ...Object.keys(is.fields)
        .filter((name) => !(name in was.fields || name.endsWith("?")))
        .map((name) => `${kind}.${name} is new and not optional`),
    ];
  });
}

/** A part that may be left out is added where a kind gets a number from the second entry on. */
const isSameRef = (was: string, is: string): boolean =>
  is === was || is.replace(/\[[^\]]+\]$/, "") === was;

function inField(name: string, was: FieldSchema, is: FieldSchema | undefined): readonly string[] {
  if (is === undefined) return [`${name} is gone`];
  const lost = (was.enum ?? []).filter((word) => !is.enum?.includes(word));
  return [
    ...(is.type === was.type ? [] : [`${name} has another type`]),
    ...lost.map((word) => `${name} is never ${word}`),
    ...(was.enum === undefined && is.enum !== undefined ? [`${name} became an enumeration`] : []),
  ];
}
