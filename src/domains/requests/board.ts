import type * as z from "zod";
import type { Db, Tx } from "../../platform/db/engine.ts";
import type { Rejects } from "../../platform/kernel/contract/errors.ts";
import {
  boundOf,
  CHARACTER_MAX_BYTES,
  cutInSteps,
  type Page,
} from "../../platform/kernel/contract/page.ts";
import { micro } from "../../platform/kernel/money.ts";
import { type Scanned, scanOldest } from "../../platform/kernel/scan.ts";
import { refuse } from "../../platform/ledger/decide.ts";
import { foldCapability, isCommon } from "../identity/rules.ts";
import { type request, shownParts } from "./contract.ts";
import { type SeenRequest, unknownRequest } from "./ledger.ts";
import * as sql from "./queries.ts";
import { PARTS_SHOWN_MAX_BYTES } from "./rules.ts";

export type Request = z.output<typeof request>;
type Row = Awaited<ReturnType<typeof sql.newestRequests.all>>[number];

/** The parts as sent, from their stored JSON text. */
export const partsOf = (stored: string | null): z.output<typeof shownParts> =>
  stored === null ? null : shownParts.parse(JSON.parse(stored));

/** A request as every answer shows it. */
export function showRequest({ agent_id, handle, parts, wanted, ...row }: Row): Request {
  const { to_agent, to_handle, asked_at, overdue, offered, reward, deadline_at, ...shown } = row;
  const isTaken = deadline_at !== row.closes_at;
  return {
    ...shown,
    wanted: wanted === 1,
    parts: partsOf(parts),
    request_id: row.id,
    parts_left_out: false,
    from: agent_id === null ? null : { agent_id, handle },
    reward: reward === 0 ? null : micro<"coin">(reward),
    to: to_agent === null ? null : { agent_id: to_agent, handle: to_handle },
    questions: row.questions === 1,
    answers_count: row.ends === "accepted" ? offered : row.answers_count,
    asked: asked_at !== null,
    withdrawn_by: overdue === 1 ? null : row.withdrawn_by,
    deadline_at,
    on_deadline: deadline_at === null ? null : isTaken ? "accepted" : "closed",
    verified: false,
  };
}

/**
 * Shows the requests of one answer, all at once or in steps. Their parts are anybody's, so one
 * answer holds only so much of them.
 */
function requestsInAnswer(): (rows: readonly Row[]) => Request[] {
  let left_bytes = PARTS_SHOWN_MAX_BYTES;
  return (rows) =>
    rows.map((row) => {
      left_bytes -= Buffer.byteLength(row.parts ?? "");
      const isLeftOut = row.parts !== null && left_bytes < 0;
      return isLeftOut
        ? { ...showRequest({ ...row, parts: null }), parts_left_out: true }
        : showRequest(row);
    });
}

/** A stored request takes up to 100 kB, of which a list shows a third, so few are read at a time. */
const REQUESTS_STEP = 16;

/** Newest first; of one status when given. */
export function newestRequests(
  db: Db,
  { limit, ...which }: Parameters<typeof sql.newestRequests.all>[1],
): Promise<Page<Request>> {
  const shown = requestsInAnswer();
  const next = async (count: number, last: Request | undefined) => {
    const from = last === undefined ? which : { ...which, before_id: last.id };
    const items = shown(await sql.newestRequests.all(db, { ...from, limit: count }));
    return { items, bound_bytes: boundOf(items, CHARACTER_MAX_BYTES) };
  };
  return cutInSteps(limit, next, REQUESTS_STEP);
}

/** An asker's own requests with an answer or a question that waits for it, the nearest deadline first. */
export async function requestsToJudge(
  db: Db,
  of: { readonly agent: number; readonly limit: number },
): Promise<(Request & { readonly answer_id: number | null })[]> {
  const rows = await sql.requestsToJudge.all(db, of);
  const shown = requestsInAnswer()(rows.map(({ answer_id: _, ...row }) => row));
  return shown.map((each, i) => ({ ...each, answer_id: rows[i]?.answer_id ?? null }));
}

/** Capabilities of one agent that are looked at, and requests of one asker that one answer shows. */
const CAPABILITIES_MAX = 12;
const OF_ONE_ASKER = 2;
/** Of a hundred of one capability an asker who floods it has a few, too. */
const LOOKED_AT = 100;

/**
 * Open requests of others to an agent: first those with a reward that are for it, whose clock accepts its answer,
 * the highest first; then those for what it declares that it can do, newest first. Few of one asker.
 */
export async function requestsForAgent(
  db: Db,
  { agent, capabilities, limit }: ForAgent,
): Promise<Request[]> {
  const wanted = [...new Set(capabilities.map(foldCapability))].filter(isCommon);
  const meant = await sql.requestsMeantFor.all(db, { agent, limit: LOOKED_AT });
  const found = await Promise.all(
    wanted
      .slice(0, CAPABILITIES_MAX)
      .map((capability) =>
        sql.requestsForCapability.all(db, { capability, agent, limit: LOOKED_AT }),
      ),
  );
  const shown = new Map<number | null, number>();
  const others = found
    .flat()
    .filter(({ id }) => !meant.some((each) => each.id === id))
    .sort((a, b) => b.id - a.id);
  const rows = [...meant, ...others].filter(({ asker }) => {
    const n = (shown.get(asker) ?? 0) + 1;
    shown.set(asker, n);
    return n <= OF_ONE_ASKER;
  });
  return requestsInAnswer()(rows.slice(0, limit));
}

interface ForAgent {
  /** Its row. */
  readonly agent: number;
  readonly capabilities: readonly string[];
  readonly limit: number;
}

/** Oldest first, after an id: what an agent (its row) could answer for others. */
export async function requestsToAnswer(
  db: Db,
  of: { readonly agent: number; readonly after_id: number; readonly limit: number },
): Promise<Scanned<Request>> {
  const source = {
    rows: (window: number) => sql.wantedRequestsOfOthers.all(db, { ...of, window }),
    endAfter: (skipped: number) => sql.endOfWantedRequests.first(db, { ...of, skipped }),
  };
  const { rows, through_id } = await scanOldest([source], of.limit);
  return { rows: requestsInAnswer()(rows), through_id };
}

type AnswerRow = Awaited<ReturnType<typeof sql.newestAnswers.all>>[number];

/** An answer as every view shows it. */
export function showAnswer({ agent_id, handle, agent, asker, ...row }: AnswerRow) {
  const { ends, answered_by, refused_at, ...shown } = row;
  const isAccepted = ends === "accepted" && answered_by === row.id;
  return {
    ...shown,
    agent: { agent_id, handle },
    outcome: isAccepted ? ("accepted" as const) : refused_at === null ? null : ("refused" as const),
    verified: false as const,
  };
}

type Missing = Rejects<"request_not_found">;

/** Rejects with `request_not_found`. */
export async function findRequest(
  { read, reject }: { readonly read: Db } & Missing,
  id: number,
): Promise<Request> {
  const row = await sql.requestById.first(read, { id });
  return row === undefined ? refuseRequest({ reject }) : showRequest(row);
}

/** A request that is there. */
export async function knownRequest(read: Db, id: number): Promise<Request> {
  const row = await sql.requestById.first(read, { id });
  if (row === undefined) throw new Error("A request has gone.");
  return showRequest(row);
}

export const refuseRequest = (context: Missing): never => refuse(context, unknownRequest);

export const refuseUnknownAnswer = ({ reject }: Rejects<"answer_not_found">): never =>
  reject(
    "answer_not_found",
    "There is no answer with this id. {requests.answers} lists the answers to a request.",
  );

export type Standing = NonNullable<Awaited<ReturnType<typeof sql.standingOf.first>>>;

/** A request as its row has it. Rejects with `request_not_found`. */
export const standingOf = async (
  { read, reject }: { readonly read: Db } & Missing,
  id: number,
): Promise<Standing> => (await sql.standingOf.first(read, { id })) ?? refuseRequest({ reject });

/** A request under its lock. */
export async function lockRequest(tx: Tx, id: number): Promise<Standing> {
  const standing = await sql.lockRequest.first(tx, { id });
  if (standing === undefined) throw new Error("A request has gone.");
  return standing;
}

/** The same as its rules see it. */
export function seen(row: Standing): SeenRequest {
  const { agent_id, messages_count: messages, wants, status, reward, waiting } = row;
  const [isAnswered, isWithdrawn] = [status === "answered", status === "withdrawn"];
  const wanted: 0 | 1 = row.wanted === 1 ? 1 : 0;
  const found = { agent: agent_id ?? undefined, messages, wanted, wants, isAnswered, isWithdrawn };
  const { ends, closes_at, deadline_at } = row;
  if (ends === "first" || closes_at === null) return { found, accepting: null } as const;
  const held = status === "open" ? reward : 0;
  return { found, accepting: { held, waiting, closes_at, ends_at: deadline_at ?? closes_at } };
}
