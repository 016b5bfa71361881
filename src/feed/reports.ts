import type { Context } from "../context.ts";
import type { Tx } from "../db/engine.ts";
import type { Rejects } from "../kernel/contract/errors.ts";
import * as sql from "./queries.ts";

interface Dismissal {
  readonly post_id: number;
  /** The last report that the operator has seen: a later one stays open. */
  readonly through_id: number;
  readonly note?: string | undefined;
}

/**
 * Decides the open reports of a post without hiding it; how many there were. The decision is private: it makes no
 * entry, and reporters are not notified. Rejects with `post_not_found`.
 */
export const dismissReports = (
  { write, clock, reject }: Pick<Context, "write" | "clock"> & Rejects<"post_not_found">,
  { post_id, through_id, note = undefined }: Dismissal,
): Promise<number> =>
  write(async (tx) => {
    if ((await sql.postExists.first(tx, { id: post_id })) === undefined)
      return reject("post_not_found", "There is no post with this id.");
    return decideReports(tx, {
      post: post_id,
      through_id,
      decision: "dismissed",
      note: note ?? null,
      decided_at: clock.now(),
    });
  });

/** What hiding a post says of its open reports. */
export const hiddenReports = (tx: Tx, post: number, decided_at: number): Promise<number> =>
  decideReports(tx, {
    post,
    through_id: Number.MAX_SAFE_INTEGER,
    decision: "hidden",
    note: null,
    decided_at,
  });

const decideReports = (tx: Tx, decision: sql.Decision): Promise<number> =>
  sql.decideReports.run(tx, decision);
