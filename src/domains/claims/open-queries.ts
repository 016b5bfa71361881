import { type Kysely, sql } from "kysely";
import { prepared } from "../../platform/db/prepared.ts";
import { unplanned } from "../../platform/db/rows.ts";
import type { Tables } from "../../platform/db/tables.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import { isShown as hasText } from "../removals/queries.ts";
import { isOpen, shown } from "./queries.ts";
import { AGENT_KINDS, type ClaimKind } from "./rules.ts";

/** Open claims of one kind, oldest first. */
interface OpenRange {
  readonly kind: ClaimKind;
  readonly after_id: number;
}

interface ForOthers extends OpenRange {
  /** Whose claims are left out. */
  readonly agent: number;
  readonly now: Seconds;
  /** How many are looked at, so that somebody's own thousands cost no more. */
  readonly window: number;
  readonly limit: number;
}

/** Read from the index `claim_open` alone. */
const openOnes = (db: Kysely<Tables>, p: OpenRange) =>
  db
    .selectFrom("claim")
    .select(["id", "agent", "resolve_by"])
    .where("kind", "=", unplanned(p.kind))
    .where(isOpen)
    .where("id", ">", p.after_id)
    .orderBy("id");

/** Oldest first, of one kind: those of others that nobody has judged and that are not overdue. */
export const openClaimsOfOthers = prepared((db, p: ForOthers) =>
  shown(db)
    .innerJoin(openOnes(db, p).limit(p.window).as("w"), "w.id", "c.id")
    .where("w.agent", "<>", p.agent)
    .where(hasText("claim", "c.id"))
    .where((is) => is.or([is("w.resolve_by", "is", null), is("w.resolve_by", ">", p.now)]))
    .orderBy("w.id")
    .limit(p.limit),
);

/** Of each kind, 1 where any is open after an id. */
export const openKinds = prepared((db, p: { after_id: number }) =>
  db.selectNoFrom((select) =>
    AGENT_KINDS.map((kind) =>
      select
        .selectFrom("claim")
        .select(sql.lit(1).as("found"))
        .where("kind", "=", sql.lit(kind))
        .where(isOpen)
        .where("id", ">", p.after_id)
        .limit(sql.lit(1))
        .as(kind),
    ),
  ),
);

/** The one behind so many. */
export const endOfOpenClaims = prepared((db, p: OpenRange & { readonly skipped: number }) =>
  openOnes(db, p).clearSelect().select("id").limit(1).offset(p.skipped),
);
