import type * as z from "zod";
import type { Agent, Context, ServiceContext } from "../context.ts";
import { canonicalJson, type Json } from "../kernel/canonical.ts";
import { flagOf } from "../kernel/flags.ts";
import { append } from "../ledger/append.ts";
import { sha256Hex, sha256IfAny } from "../ledger/sha256.ts";
import { findRequest, type Request, refuseRequest, showRequest } from "./board.ts";
import type { requestMessage } from "./contract.ts";
import * as entries from "./entries.ts";
import * as sql from "./queries.ts";
import { FOLLOW_UPS_MAX } from "./rules.ts";

/** How requests come to the board: no route of their own, other doors call these functions. */
type Intake = Pick<ServiceContext, "read" | "write" | "clock" | "random" | "reject">;

/** Checked by its schema, and searched for live tokens, by the door that took it. */
type Message = z.output<typeof requestMessage>;

/**
 * Publishes what was asked; nothing here executes it. A message that `from` sent before gives the
 * request that it made then, as it stands now. Rejects with `validation_failed` when the content of
 * that message was another one.
 */
export async function openRequest(
  { read, write, clock, random, reject }: Intake,
  { from, ...message }: Message & { readonly from: Agent | null },
): Promise<Request> {
  const known = await requestOf({ read, reject }, from, message);
  if (known !== undefined) return known;
  const { sealed, ...stored } = storedForm(message);
  const context_id = message.context_id ?? uuid(random);

  return write(async (tx) => {
    const created_at = clock.now();
    const row = await sql.insertRequest.first(tx, {
      agent: from?.id ?? null,
      ...stored,
      context_id,
      created_at,
    });
    if (row === undefined) {
      const twin = await requestOf({ read: tx, reject }, from, message);
      if (twin === undefined) throw new Error("A request was inserted and has no id.");
      return twin;
    }
    append(tx, entries.request, row.id, { request_id: row.id, agent: from?.agent_id, ...sealed });
    return findRequest({ read: tx, reject }, row.id);
  });
}

/** The outcome of a follow-up: taken, or why not. */
export type FollowedUp = "taken" | "closed" | "full";

/**
 * Adds the asker's next message to its own open request: the 20th is the last one. One that was
 * taken before is taken again without a trace. Rejects with `request_not_found` when it is another's,
 * with `validation_failed` when the message that was taken had another content.
 */
export async function followUp(
  { read, write, clock, reject }: Intake,
  { from, request_id, ...message }: Message & { readonly from: Agent; readonly request_id: number },
): Promise<FollowedUp> {
  const standing = await sql.standingOf.first(read, { id: request_id });
  if (standing?.agent !== from.id) return refuseRequest({ reject });
  const place = { agent: from.id, request_id };
  if (await wasTaken({ read, reject }, place, message)) return "taken";
  if (standing.status !== "open") return "closed";
  if (standing.messages_count >= FOLLOW_UPS_MAX) return "full";
  const { sealed, ...stored } = storedForm(message);

  return write(async (tx) => {
    if (await wasTaken({ read: tx, reject }, place, message)) return "taken";
    const counted = await sql.countFollowUp.first(tx, { id: request_id, max: FOLLOW_UPS_MAX });
    if (counted === undefined) {
      const now = await sql.standingOf.first(tx, { id: request_id });
      return now?.status === "open" ? "full" : "closed";
    }
    const { n } = counted;
    await sql.insertFollowUp.run(tx, {
      request: request_id,
      n,
      ...stored,
      created_at: clock.now(),
    });
    append(tx, entries.requestMessage, `${request_id}/${n}`, {
      request_id,
      agent: from.agent_id,
      ...sealed,
    });
    return "taken";
  });
}

/**
 * Takes an open request from the board; `closed` when it has an answer or is withdrawn already.
 * Rejects with `request_not_found` when there is none, or `by` is an agent and it is another's.
 */
export async function withdrawRequest(
  { read, write, clock, reject }: Intake,
  { request_id, by }: { readonly request_id: number; readonly by: Agent | "operator" },
): Promise<"withdrawn" | "closed"> {
  const standing =
    (await sql.standingOf.first(read, { id: request_id })) ?? refuseRequest({ reject });
  if (by !== "operator" && standing.agent !== by.id) return refuseRequest({ reject });
  if (standing.status !== "open") return "closed";
  const withdrawn_by = by === "operator" ? "operator" : "asker";

  return write(async (tx) => {
    const change = { id: request_id, withdrawn_by, at: clock.now() } as const;
    if ((await sql.withdraw.run(tx, change)) === 0) return "closed";
    append(tx, entries.requestWithdrawn, request_id, { request_id, by: withdrawn_by });
    return "withdrawn";
  });
}

/** A message as its row and its entry hold it. */
function storedForm({ text, parts, message_id }: Message) {
  const json = parts === undefined ? null : canonicalJson(parts);
  const flagged =
    flagOf(text) ?? (parts && flagOf(textsIn(parts).join("\n"))) ?? flagOf(json ?? "");
  return {
    text,
    parts: json,
    flagged,
    message_id: message_id ?? null,
    sealed: {
      text_sha256: sha256Hex(text),
      parts_sha256: sha256IfAny(json),
      flagged: flagged ?? undefined,
    },
  };
}

/** Every text inside of a value: in its JSON, line feeds and quotes are not what the rules look for. */
function textsIn(value: Json): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

type Reading = Pick<Intake, "read" | "reject">;

/** The request that this very message made before. */
async function requestOf(
  context: Reading,
  from: Agent | null,
  message: Message,
): Promise<Request | undefined> {
  const { message_id } = message;
  if (from === null || message_id === undefined) return undefined;
  const row = await sql.requestByMessage.first(context.read, { agent: from.id, message_id });
  if (row === undefined) return undefined;
  demandSame(context, message, { ...row, request_id: row.id });
  return showRequest(row);
}

/** Whether this very message made the request, or followed up on it. */
async function wasTaken(
  context: Reading,
  { agent, request_id }: { readonly agent: number; readonly request_id: number },
  message: Message,
): Promise<boolean> {
  const { message_id } = message;
  if (message_id === undefined) return false;
  const made = await sql.requestByMessage.first(context.read, { agent, message_id });
  const row =
    made?.id === request_id
      ? made
      : await sql.followUpByMessage.first(context.read, { request: request_id, message_id });
  if (row === undefined) return false;
  demandSame(context, message, { ...row, request_id });
  return true;
}

interface Taken {
  readonly request_id: number;
  readonly text: string;
  readonly parts: string | null;
}

/** A name stands for one content: the caller would lose a second one without a word. */
function demandSame({ reject }: Reading, { text, parts }: Message, taken: Taken): void {
  const json = parts === undefined ? null : canonicalJson(parts);
  if (text === taken.text && json === taken.parts) return;
  reject(
    "validation_failed",
    `This messageId made task ${taken.request_id} with another content. Send a new messageId.`,
  );
}

/** A random UUID, version 4 (RFC 9562). */
function uuid(random: Context["random"]): string {
  const hex = Buffer.from(random(16)).toString("hex");
  const variant = (Number.parseInt(hex.charAt(16), 16) & 3) | 8;
  const groups = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    variant.toString(16) + hex.slice(17, 20),
    hex.slice(20),
  ];
  return groups.join("-");
}
