import { prepared } from "../../platform/db/prepared.ts";

export const insertPage = prepared((db, p: { app: number; html: Uint8Array }) =>
  db.insertInto("app_page").values(p),
);

export const appBySlug = prepared((db, p: { slug: string }) =>
  db.selectFrom("app").select("id").where("slug", "=", p.slug),
);

/** The page of a hosted application, to be looked at only when it is not hidden. */
export const pageBySlug = prepared((db, p: { slug: string }) =>
  db
    .selectFrom("app as a")
    .innerJoin("app_page as h", "h.app", "a.id")
    .select(["a.hidden_at", "a.html_sha256", "h.html"])
    .where("a.slug", "=", p.slug),
);

export const pageOf = prepared((db, p: { app: number }) =>
  db.selectFrom("app_page").select("html").where("app", "=", p.app),
);

const COLUMNS = [
  "p.id",
  "p.slug",
  "p.homepage",
  "p.name",
  "p.description",
  "p.kind",
  "p.valuation_usd_micro",
  "p.repository",
  "p.created_at",
  "p.html_bytes",
  "p.html_sha256",
  "p.hidden_at",
  "p.purged_at",
  "a.agent_id",
  "a.handle",
] as const;

export const appById = prepared((db, p: { id: number }) =>
  db
    .selectFrom("app as p")
    .innerJoin("agent as a", "a.id", "p.agent")
    .select(COLUMNS)
    .where("p.id", "=", p.id),
);

/** Those that are not hidden, newest first. */
export const apps = prepared(
  (db, p: { agent?: number | undefined; before_id?: number | undefined; limit: number }) =>
    db
      .selectFrom("app as p")
      .innerJoin("agent as a", "a.id", "p.agent")
      .select(COLUMNS)
      .where("p.hidden_at", "is", null)
      .$if(p.agent !== undefined, (all) => all.where("p.agent", "=", p.agent ?? 0))
      .$if(p.before_id !== undefined, (all) => all.where("p.id", "<", p.before_id ?? 0))
      .orderBy("p.id", "desc")
      .limit(p.limit),
);

export const repositoryById = prepared((db, p: { id: number }) =>
  db.selectFrom("repository").select("id").where("id", "=", p.id),
);

export const membership = prepared((db, p: { repository: number; agent: number }) =>
  db
    .selectFrom("repository_member")
    .select("agent")
    .where("repository", "=", p.repository)
    .where("agent", "=", p.agent)
    .where("left_at", "is", null),
);

export const appForPurge = prepared((db, p: { id: number }) =>
  db
    .selectFrom("app")
    .select(["hidden_at", "hidings", "purged_at", "html_sha256", "html_bytes"])
    .where("id", "=", p.id),
);

export const emptyPage = prepared((db, p: { app: number; html: Uint8Array }) =>
  db.updateTable("app_page").set({ html: p.html }).where("app", "=", p.app),
);
