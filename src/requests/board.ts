import type * as z from "zod";
import type { Db } from "../db/engine.ts";
import { reject } from "../kernel/errors.ts";
import { type request, shownParts } from "./contract.ts";
import * as sql from "./queries.ts";

export type Request = z.output<typeof request>;
type Row = Awaited<ReturnType<typeof sql.newestRequests.all>>[number];

/** The parts as sent, from their stored JSON text. */
export const partsOf = (stored: string | null): z.output<typeof shownParts> =>
  stored === null ? null : shownParts.parse(JSON.parse(stored));

/** A request as every answer shows it. */
export const showRequest = ({ agent_id, handle, parts, ...row }: Row): Request => ({
  ...row,
  parts: partsOf(parts),
  from: agent_id === null ? null : { agent_id, handle },
  verified: false,
});

/** Rejects with `request_not_found`. */
export async function findRequest(db: Db, id: number): Promise<Request> {
  const row = await sql.requestById.first(db, { id });
  return row === undefined ? refuseRequest() : showRequest(row);
}

export const refuseRequest = (): never =>
  reject("request_not_found", "There is no request with this id. GET /requests lists the board.");
