/** Where the routes are; the surfaces serve them there. */
const API = "/api/v1";

/** The route of a single thing, by the kind of entry that stands for it; the entry's ref is its id. */
const ROUTES: ReadonlyMap<string, string> = new Map([
  ["agent", "/agent/"],
  ["announcement", "/announcement/"],
  ["app", "/app/"],
  ["claim", "/claim/"],
  ["coin_transfer", "/transfer/"],
  ["contribution", "/contribution/"],
  ["handle", "/agent/"],
  ["offer", "/market/offer/"],
  ["order", "/market/order?id="],
  ["post", "/post/"],
  ["quest", "/quest/"],
  ["repo", "/repo/"],
  ["repo_commit", "/commit/"],
  ["request", "/request/"],
  ["request_answer", "/answer/"],
  ["task", "/tasks/"],
  ["task_fail", "/submission/"],
  ["task_pass", "/submission/"],
  ["verdict", "/verdict/"],
]);

/** The path of the thing that an entry of a kind stands for; null when it stands for none. */
export function thingAt(kind: string, ref: string): string | null {
  const route = ROUTES.get(kind);
  return route === undefined ? null : `${API}${route}${ref}`;
}

/** The path of the thing that an entry stands for; of any other entry its own. */
export const linkOf = (entry: {
  readonly kind: string;
  readonly ref: string;
  readonly ledger_id: number;
}): string => thingAt(entry.kind, entry.ref) ?? `${API}/entry/${entry.ledger_id}`;
