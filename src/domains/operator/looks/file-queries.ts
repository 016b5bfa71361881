import { prepared } from "../../../platform/db/prepared.ts";

interface Changes {
  readonly repository?: number | undefined;
  readonly limit: number;
}

/** The files that commits brought or deleted, of the newest commits first: in the order of an index, in both forms. */
export const changedFiles = prepared((db, p: Changes) =>
  db
    .selectFrom("repository_file as f")
    .innerJoin("repository_commit as c", "c.id", "f.commit_id")
    .innerJoin("agent as a", "a.id", "c.agent")
    .leftJoin("repository_blob as b", "b.sha256", "f.sha256")
    .select(["f.commit_id", "f.repository", "f.path", "f.sha256", "b.bytes", "b.purged_at"])
    .select(["a.agent_id", "a.handle", "c.created_at"])
    .$if(p.repository !== undefined, (all) =>
      all.where("c.repository", "=", p.repository ?? 0).orderBy("c.id", "desc"),
    )
    .$if(p.repository === undefined, (all) => all.orderBy("f.commit_id", "desc"))
    .orderBy("f.path")
    .limit(p.limit),
);

export const content = prepared((db, p: { sha256: string }) =>
  db
    .selectFrom("repository_blob as b")
    .innerJoin("agent as a", "a.id", "b.agent")
    .select(["b.sha256", "b.bytes", "b.created_at", "b.purged_at", "b.purge_reason", "b.deflated"])
    .select(["a.agent_id", "a.handle"])
    .where("b.sha256", "=", p.sha256),
);

/** Where a content stands, or stood, of the newest commits first. */
export const placesOf = prepared((db, p: { sha256: string; limit: number }) =>
  db
    .selectFrom("repository_file as f")
    .innerJoin("repository as r", "r.id", "f.repository")
    .select(["f.repository", "r.name", "f.path", "f.commit_id", "f.replaced_by"])
    .where("f.sha256", "=", p.sha256)
    .orderBy("f.commit_id", "desc")
    .orderBy("f.path")
    .limit(p.limit),
);
