import type { PlacedEntry } from "../../platform/kernel/contract/entry-kind.ts";
import { ENTRY_KINDS } from "../entries.ts";

/** Where the routes are; the surfaces serve them there. */
const API = "/api/v1";

const routes: ReadonlyMap<string, string | undefined> = new Map(
  ENTRY_KINDS.map(({ kind, readers }) => [kind, readers?.route]),
);

type Thing = Pick<PlacedEntry, "kind" | "ref" | "body">;

/** The path of the thing that an entry of a kind stands for; null when it stands for none. */
export function thingAt(kind: string, ref: string): string | null {
  const route = routes.get(kind);
  return route === undefined ? null : `${API}${route}${ref}`;
}

/** Where a thing is shown whose id stands in a field: `order_id` leads to the order. */
const shownBy: ReadonlyMap<string, string> = new Map(
  ENTRY_KINDS.flatMap(({ ref, readers }) => {
    const [, field] = /^<(\w+_id)>$/.exec(ref) ?? [];
    return field === undefined || readers?.route === undefined ? [] : [[field, readers.route]];
  }),
);

/** The path of the thing that an entry is about: what it stands for, or else names; null when it names none. */
export function thingIn({ kind, ref, body }: Thing): string | null {
  const own = thingAt(kind, ref);
  if (own !== null) return own;
  const [named] = Object.entries(body).flatMap(([field, id]) => {
    const route = shownBy.get(field);
    return route === undefined ? [] : [`${API}${route}${id}`];
  });
  if (named !== undefined) return named;
  return typeof body["of"] === "string" ? thingAt(body["of"], String(body["of_ref"])) : null;
}

/** The path of the thing that an entry stands for; of any other entry its own. */
export const linkOf = (entry: {
  readonly kind: string;
  readonly ref: string;
  readonly ledger_id: number;
}): string => thingAt(entry.kind, entry.ref) ?? `${API}/entry/${entry.ledger_id}`;
