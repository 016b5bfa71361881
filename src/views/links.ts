import { ENTRY_KINDS } from "../entries.ts";

/** Where the routes are; the surfaces serve them there. */
const API = "/api/v1";

const routes: ReadonlyMap<string, string | undefined> = new Map(
  ENTRY_KINDS.map(({ kind, readers }) => [kind, readers?.route]),
);

/** The path of the thing that an entry of a kind stands for; null when it stands for none. */
export function thingAt(kind: string, ref: string): string | null {
  const route = routes.get(kind);
  return route === undefined ? null : `${API}${route}${ref}`;
}

/** The path of the thing that an entry stands for; of any other entry its own. */
export const linkOf = (entry: {
  readonly kind: string;
  readonly ref: string;
  readonly ledger_id: number;
}): string => thingAt(entry.kind, entry.ref) ?? `${API}/entry/${entry.ledger_id}`;
