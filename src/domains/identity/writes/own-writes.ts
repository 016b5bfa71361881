import { prepared } from "../../../platform/db/prepared.ts";
import { inserting, unnumbered } from "../../../platform/db/rows.ts";
import type { Rejects } from "../../../platform/kernel/contract/errors.ts";
import type { Seconds } from "../../../platform/kernel/time.ts";
import { ACT_REFUSES } from "../keys/act-rule.ts";

/** Adds to what an agent can look up by `client_ref`, in the transaction that writes it. */
export const rememberWrite = unnumbered(
  "own_write",
  inserting("own_write", {
    agent: "bigint",
    client_ref: "text",
    path: "text",
    kind: "text",
    item: "text",
    created_at: "bigint",
    mark_sha256: "bytea",
  }),
);

interface Wanted {
  readonly agent: number;
  readonly client_ref?: string | undefined;
  readonly path?: string | undefined;
  readonly before_id: number;
  readonly limit: number;
}

/** Of one agent, newest first; each was written with a `client_ref`. */
export const ownWrites = prepared((db, p: Wanted) => {
  const own = db
    .selectFrom("own_write")
    .select(["id", "client_ref", "path", "kind", "item", "created_at"])
    .where("agent", "=", p.agent)
    .where("id", "<", p.before_id)
    .orderBy("id", "desc")
    .limit(p.limit);
  const marked = p.client_ref === undefined ? own : own.where("client_ref", "=", p.client_ref);
  return p.path === undefined ? marked : marked.where("path", "=", p.path);
});

/** The newest row of a marked write, if it was stored. */
export const writtenUnder = prepared(
  (db, p: { agent: number; client_ref: string; mark_sha256: Uint8Array }) =>
    db
      .selectFrom("own_write")
      .select(["kind", "item", "created_at"])
      .where("agent", "=", p.agent)
      .where("client_ref", "=", p.client_ref)
      .where("mark_sha256", "=", p.mark_sha256)
      .orderBy("id", "desc")
      .limit(1),
);

/** Ends a write whose caller asked for none after a time that is over. */
export const refuseLate = (reject: Rejects<never>["reject"], now: Seconds): never =>
  reject(ACT_REFUSES.late.code, ACT_REFUSES.late.sentence, [
    { field: "not_after", problem: `it is ${now} now` },
  ]);
