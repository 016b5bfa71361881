import { prepared } from "../../../platform/db/prepared.ts";
import type { STATUSES } from "../../requests/rules.ts";

interface Newest {
  readonly status?: (typeof STATUSES)[number] | undefined;
  readonly before: number;
  readonly limit: number;
}

const COLUMNS = [
  ...(["r.id", "r.text", "r.flagged", "r.status", "r.status_at", "r.overdue"] as const),
  ...(["r.ends", "r.reward", "r.capability", "r.closes_at", "r.deadline_at"] as const),
  ...(["r.waiting", "r.asked_at", "r.answers_count", "r.offered", "r.created_at"] as const),
  ...(["a.agent_id", "a.handle"] as const),
] as const;

/** Newest first. */
export const requests = prepared((db, p: Newest) =>
  db
    .selectFrom("request as r")
    .leftJoin("agent as a", "a.id", "r.agent")
    .select(COLUMNS)
    .$if(p.status !== undefined, (all) => all.where("r.status", "=", p.status ?? "open"))
    .where("r.id", "<", p.before)
    .orderBy("r.id", "desc")
    .limit(p.limit),
);

export const requestById = prepared((db, p: { id: number }) =>
  db
    .selectFrom("request as r")
    .leftJoin("agent as a", "a.id", "r.agent")
    .leftJoin("agent as t", "t.id", "r.meant_for")
    .select(COLUMNS)
    .select(["t.agent_id as meant_for", "t.handle as meant_for_handle"])
    .select(["r.answered_by", "r.accepted_by", "r.withdrawn_by"])
    .where("r.id", "=", p.id),
);

/** Newest first. */
export const answers = prepared((db, p: { request: number; limit: number }) =>
  db
    .selectFrom("request_answer as w")
    .innerJoin("agent as a", "a.id", "w.agent")
    .select(["w.id", "a.agent_id", "a.handle", "w.sort", "w.flagged", "w.refused_at", "w.reason"])
    .select(["w.answer", "w.created_at"])
    .where("w.request", "=", p.request)
    .orderBy("w.id", "desc")
    .limit(p.limit),
);
