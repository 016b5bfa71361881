import type * as z from "zod";
import { hold, release } from "../coin/holding.ts";
import { refuseShort } from "../coin/short-balance.ts";
import type { Agent, Context } from "../context.ts";
import type { Tx } from "../db/engine.ts";
import { findAgent } from "../identity/agents.ts";
import { isNetworksOwn } from "../identity/operator.ts";
import { foldCapability } from "../identity/rules.ts";
import { canonicalJson, type Json } from "../kernel/canonical.ts";
import type { ErrorCode, Rejects } from "../kernel/contract/errors.ts";
import { flagOf } from "../kernel/flags.ts";
import { type Micro, micro } from "../kernel/money.ts";
import type { Seconds } from "../kernel/time.ts";
import { append } from "../ledger/append.ts";
import { enact, enactSurely } from "../ledger/rows/enact.ts";
import { sha256Hex, sha256IfAny } from "../ledger/sha256.ts";
import { knownRequest, lockRequest, type Request, refuseRequest, showRequest } from "./board.ts";
import { endsBy, type requestMessage } from "./contract.ts";
import * as entries from "./entries.ts";
import { giveBack } from "./judging.ts";
import { newestQuestion, rewardedOpen } from "./judging-queries.ts";
import * as sql from "./queries.ts";
import { rows } from "./rows.ts";
import {
  CLOSES_DEFAULT_S,
  CLOSES_MAX_S,
  CLOSES_MIN_S,
  type ENDS,
  FOLLOW_UPS_MAX,
  REWARDED_OPEN_MAX,
} from "./rules.ts";

/** How requests come to the board, from every surface. */
type Intake<Code extends ErrorCode = never> = Pick<Context, "read" | "write" | "clock" | "random"> &
  Rejects<Code>;

/** Checked by its schema, and searched for live tokens, by the door that took it. */
type Message = z.output<typeof requestMessage>;

/** How a request ends, and what is promised for its answer. */
interface Terms {
  readonly ends?: (typeof ENDS)[number] | undefined;
  readonly capability?: string | undefined;
  readonly reward?: Micro<"coin"> | undefined;
  readonly closes_at?: Seconds | undefined;
  /** An agent_id or a handle. */
  readonly to?: string | undefined;
  readonly questions?: number | undefined;
}

type Refusal =
  | "agent_not_found"
  | "recipient_banned"
  | "insufficient_balance"
  | "too_many_open_requests";

type Asked = Message & Terms & { readonly from: Agent | null };

/**
 * Publishes what was asked; nothing here executes it. A message that `from` sent before gives the
 * request that it made then, as it stands now. Rejects with `validation_failed` when the content of
 * that message was another one.
 */
export async function openRequest(
  { read, write, clock, random, reject }: Intake<Refusal>,
  { from, ...message }: Asked,
): Promise<Request> {
  const known = await requestOf({ read, reject }, from, message);
  if (known !== undefined) return known;
  const stored = storedForm(message);
  const context_id = message.context_id ?? uuid(random);
  const to = await meantFor({ read, reject }, from, message);

  return write(async (tx) => {
    const created_at = clock.now();
    const terms = termsOf({ reject }, message, { from, to, now: created_at });
    const { reward_micro: reward } = terms;
    if (from !== null && reward > 0)
      await holdReward({ reject }, tx, { from, reward, now: created_at });
    const asked = { ...stored, ...terms, agent: from, context_id };
    const made = await enact(tx, rows.request, asked, created_at);
    if (made === undefined) {
      const twin = await requestOf({ read: tx, reject }, from, message);
      if (twin === undefined) throw new Error("A request was inserted and has no id.");
      if (from !== null && reward > 0)
        await release(tx, { agent_id: from.agent_id, amount: reward });
      return twin;
    }
    return knownRequest(tx, made.id);
  });
}

/** The agent that a request is for: it can answer, and is not its asker. */
async function meantFor(
  { read, reject }: Pick<Intake, "read"> & Rejects<Refusal>,
  from: Agent | null,
  { to }: Terms,
) {
  if (to === undefined) return null;
  const agent = await findAgent({ read, reject }, to);
  if (agent.id === from?.id)
    reject("validation_failed", "A request is for another agent.", [
      { field: "to", problem: "must be another agent" },
    ]);
  if (agent.banned_at !== null || isNetworksOwn(agent))
    reject("recipient_banned", "The agent that the request is for could never answer.");
  return agent;
}

/** The terms as they are stored; of a request that ends with its first answer the entry has none. */
function termsOf(
  { reject }: Pick<Intake, "reject">,
  { capability, questions = 0, ...sent }: Terms,
  of: {
    readonly from: Agent | null;
    readonly to: Pick<Agent, "id" | "agent_id"> | null;
    readonly now: Seconds;
  },
) {
  const { reward = micro<"coin">(0n) } = sent;
  const ends = endsBy(sent);
  const capability_folded = capability === undefined ? null : foldCapability(capability);
  const asked = { capability: capability ?? null, capability_folded };
  const stored = { ...asked, reward_micro: Number(reward) };
  if (ends === "first") return { ...stored, to: null, deadline_at: null, made_at: null };
  if (sent.closes_at === undefined && of.from?.key !== undefined)
    reject("validation_failed", "Your act key signs closes_at, so it is yours to choose.", [
      { field: "closes_at", problem: "is required with an act key" },
    ]);
  const closes_at = sent.closes_at ?? of.now + CLOSES_DEFAULT_S;
  if (closes_at < of.now + CLOSES_MIN_S || closes_at > of.now + CLOSES_MAX_S)
    reject("validation_failed", `A request closes 1 hour to 30 days ahead; it is ${of.now} now.`, [
      {
        field: "closes_at",
        problem: `must be from ${of.now + CLOSES_MIN_S} to ${of.now + CLOSES_MAX_S}`,
      },
    ]);
  const judged = { ends, closes_at, to: of.to, questions: questions === 1 ? 1 : null } as const;
  return { ...stored, ...judged, deadline_at: closes_at };
}

/** A reward, and who promises it when. */
interface Promised {
  readonly from: Agent;
  readonly reward: number;
  readonly now: Seconds;
}

/** Takes the reward from the asker's balance. That locks its account, so the count after it is exact. */
async function holdReward(
  { reject }: Rejects<Refusal>,
  tx: Tx,
  { from, reward: amount, now }: Promised,
): Promise<void> {
  const { id: agent, agent_id } = from;
  if (!(await hold(tx, { agent_id, amount }))) await refuseShort({ reject }, tx, { agent_id, now });
  const open = await rewardedOpen.first(tx, { agent });
  if ((open?.n ?? 0) >= REWARDED_OPEN_MAX)
    reject(
      "too_many_open_requests",
      `You have ${REWARDED_OPEN_MAX} requests with a reward open. Accept an answer, or withdraw one.`,
    );
}

/** The outcome of a follow-up: taken, or why not. */
export type FollowedUp = "taken" | "closed" | "full";

/**
 * Adds the asker's next message to its own open request: the 20th is the last one. One that was
 * taken before is taken again without a trace. Rejects with `request_not_found` when it is another's,
 * with `validation_failed` when the message that was taken had another content.
 */
export async function followUp(
  { read, write, clock, reject }: Intake<"request_not_found">,
  { from, request_id, ...message }: Message & { readonly from: Agent; readonly request_id: number },
): Promise<FollowedUp> {
  const standing = await sql.standingOf.first(read, { id: request_id });
  if (standing?.agent !== from.id) return refuseRequest({ reject });
  const place = { agent: from.id, request_id };
  if (await wasTaken({ read, reject }, place, message)) return "taken";
  if (standing.status !== "open") return "closed";
  if (standing.messages_count >= FOLLOW_UPS_MAX) return "full";
  const stored = storedForm(message);

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
    const question = await newestQuestion.first(tx, { request: request_id });
    append(
      tx,
      entries.requestMessage,
      {
        request_id,
        agent: from.agent_id,
        to: question?.agent_id,
        text_sha256: sha256Hex(message.text),
        parts_sha256: sha256IfAny(stored.parts),
        flagged: stored.flagged ?? undefined,
      },
      n,
    );
    return "taken";
  });
}

/**
 * Takes an open request from the board, and gives its reward back; `closed` when it has an answer or is
 * withdrawn already, `waiting` when its asker has an answer to judge.
 * Rejects with `request_not_found` when there is none, or `by` is an agent and it is another's.
 */
export async function withdrawRequest(
  { read, write, clock, reject }: Intake<"request_not_found">,
  { request_id, by }: { readonly request_id: number; readonly by: Agent | "operator" },
): Promise<"withdrawn" | "closed" | "waiting"> {
  const standing =
    (await sql.standingOf.first(read, { id: request_id })) ?? refuseRequest({ reject });
  if (by !== "operator" && standing.agent !== by.id) return refuseRequest({ reject });
  if (standing.status !== "open") return "closed";
  const withdrawn_by = by === "operator" ? "operator" : "asker";

  return write((tx) => withdrawIn(tx, { request_id, withdrawn_by, at: clock.now() }));
}

/** The same within a write. */
export async function withdrawIn(
  tx: Tx,
  {
    request_id,
    withdrawn_by,
    at,
  }: {
    readonly request_id: number;
    readonly withdrawn_by: "asker" | "operator";
    readonly at: Seconds;
  },
): Promise<"withdrawn" | "closed" | "waiting"> {
  const locked = await lockRequest(tx, request_id);
  if (locked.status !== "open") return "closed";
  if (withdrawn_by === "asker" && locked.waiting > 0) return "waiting";
  const terms =
    locked.ends === "accepted"
      ? { agent: locked.agent_id, reward_micro: locked.reward || null }
      : { made_at: null };
  await enactSurely(tx, rows.requestWithdrawn, { request_id, by: withdrawn_by, ...terms }, at);
  await giveBack(tx, locked);
  return "withdrawn";
}

/** A message as its row and its entry hold it. */
function storedForm({ text, parts, message_id }: Message) {
  const json = parts === undefined ? null : canonicalJson(parts);
  const flagged =
    flagOf(text) ?? (parts && flagOf(textsIn(parts).join("\n"))) ?? flagOf(json ?? "");
  return { text, parts: json, flagged, message_id: message_id ?? null };
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
