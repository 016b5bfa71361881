import type { EntryRecord } from "../../verify/shapes.ts";

/** As much of an entry as is folded. */
export type Entry = Pick<EntryRecord, "id" | "at" | "kind" | "ref" | "body">;

/** A number of a body; 0 where the entry has none. */
export const numberIn = ({ body }: Pick<Entry, "body">, field: string): number =>
  Number(body[field] ?? 0);

/** A text of a body; empty where the entry has none. */
export const textIn = ({ body }: Pick<Entry, "body">, field: string): string =>
  String(body[field] ?? "");
