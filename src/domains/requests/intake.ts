import type * as z from "zod";
import type { Agent, Context } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/engine.ts";
import { canonicalJson, type Json } from "../../platform/kernel/canonical.ts";
import type { ErrorCode, Rejects } from "../../platform/kernel/contract/errors.ts";
import { flagOf } from "../../platform/kernel/flags.ts";
import { type Micro, micro } from "../../platform/kernel/money.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import { append } from "../../platform/ledger/append.ts";
import { decide, NOBODY, refuse } from "../../platform/ledger/decide.ts";
import { enact } from "../../platform/ledger/rows/enact.ts";
import { demandAllowed, enactAllowed } from "../../platform/ledger/rows/enact-allowed.ts";
import { sha256Hex, sha256IfAny } from "../../platform/ledger/sha256.ts";
import { hold, release } from "../coin/holding.ts";
import { refuseShort } from "../coin/short-balance.ts";
import { findAgent } from "../identity/agents.ts";
import { callerOf, partyIn } from "../identity/ledger.ts";
import { foldCapability } from "../identity/rules.ts";
import {
  knownRequest,
  lockRequest,
  type Request,
  type Standing,
  seen,
  showRequest,
  standingOf,
} from "./board.ts";
import { endsBy, type requestMessage as message } from "./contract.ts";
import * as entries from "./entries.ts";
import { giveBack } from "./judging.ts";
import { newestQuestion, rewardedOpen } from "./judging-queries.ts";
import { notItsAsker, request, requestMessage, requestWithdrawn } from "./ledger.ts";
import * as sql from "./queries.ts";
import { rows } from "./rows.ts";
import { CLOSES_DEFAULT_S, type ENDS } from "./rules.ts";

/** How requests come to the board, from every surface. */
type Intake<Code extends ErrorCode = never> = Pick<Context, "read" | "write" | "clock" | "random"> &
  Rejects<Code>;

/** Checked by its schema, and searched for live tokens, by the door that took it. */
type Message = z.output<typeof message>;

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
  context: Intake<Refusal>,
  { from, ...message }: Asked,
): Promise<Request> {
  const { write, clock, random } = context;
  const known = await requestOf(context, from, message);
  if (known !== undefined) return known;
  const stored = storedForm(message);
  const context_id = message.context_id ?? uuid(random);
  const to = message.to === undefined ? null : await findAgent(context, message.to);
  const parties = { agent: from && callerOf(from), to: to && partyIn(to) };
  const asked = { ...stored, agent: from, context_id };
  const terms = (now: Seconds) => ({ ...asked, ...termsOf(context, message, { from, to, now }) });
  // The reward is looked at when it is held.
  const look = { given: { ...terms(clock.now()), reward_micro: 0 }, now: clock.now() };
  const before = { ...parties, balance: 0n, rewarded: 0 };
  demandAllowed(context, [request, rows.request], { ...look, before });

  return write(async (tx) => {
    const now = clock.now();
    const given = terms(now);
    const { reward_micro: reward } = given;
    const isPaid = from !== null && reward > 0;
    if (isPaid) {
      const held = await holdReward(context, tx, { from, reward, now });
      const before = { ...parties, ...held };
      demandAllowed(context, [request, rows.request], { before, given, now });
    }
    const made = await enact(tx, rows.request, given, now);
    if (made !== undefined) return knownRequest(tx, made.id);
    const twin = await requestOf({ ...context, read: tx }, from, message);
    if (twin === undefined) throw new Error("A request was inserted and has no id.");
    if (isPaid) await release(tx, { agent_id: from.agent_id, amount: reward });
    return twin;
  });
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
  const judged = { ends, closes_at, to: of.to, questions: questions === 1 ? 1 : null } as const;
  return { ...stored, ...judged, deadline_at: closes_at };
}

/** A reward, and who promises it when. */
interface Promised {
  readonly from: Agent;
  readonly reward: number;
  readonly now: Seconds;
}

/** Takes the reward from the asker's balance, and resolves to what the rule reads of it. That locks its account. */
async function holdReward(
  { reject }: Rejects<Refusal>,
  tx: Tx,
  { from, reward: amount, now }: Promised,
) {
  const { id: agent, agent_id } = from;
  if (!(await hold(tx, { agent_id, amount }))) await refuseShort({ reject }, tx, { agent_id, now });
  const open = await rewardedOpen.first(tx, { agent });
  // The statement has decided whether there are so many coins.
  return { balance: BigInt(amount), rewarded: open?.n ?? 0 };
}

type Own = "request_not_found" | "wrong_role" | "request_ended";

/** A request of this agent. Rejects with `request_not_found` or `wrong_role`. */
async function findOwn(
  context: Pick<Intake, "read"> & Rejects<Own>,
  id: number,
  by: Agent,
): Promise<Standing> {
  const standing = await standingOf(context, id);
  return standing.agent === by.id ? standing : refuse(context, notItsAsker);
}

/**
 * Adds the asker's next message to its own open request: the 20th is the last one. One that was
 * taken before is taken again without a trace. Rejects with `validation_failed` when the message that was taken had
 * another content.
 */
export async function followUp(
  context: Intake<Own | "request_withdrawn" | "reply_limit">,
  { from, request_id, ...message }: Message & { readonly from: Agent; readonly request_id: number },
): Promise<void> {
  const { write, clock } = context;
  const standing = await findOwn(context, request_id, from);
  const place = { agent: from.id, request_id };
  if (await wasTaken(context, place, message)) return;
  const stored = storedForm(message);
  const said = {
    request_id,
    agent: from.agent_id,
    text_sha256: sha256Hex(message.text),
    parts_sha256: sha256IfAny(stored.parts),
    flagged: stored.flagged ?? undefined,
  };
  const demandRoom = (row: Standing): number => {
    const n = row.messages_count + 1;
    decide(context, requestMessage, seen(row), { body: said, now: clock.now(), n });
    return n;
  };
  demandRoom(standing);

  await write(async (tx) => {
    const locked = await lockRequest(tx, request_id);
    if (await wasTaken({ ...context, read: tx }, place, message)) return;
    const n = demandRoom(locked);
    await sql.countFollowUp.run(tx, { id: request_id, n });
    const row = { request: request_id, n, ...stored, created_at: clock.now() };
    await sql.insertFollowUp.run(tx, row);
    const question = await newestQuestion.first(tx, { request: request_id });
    append(tx, entries.requestMessage, { ...said, to: question?.agent_id }, n);
  });
}

/** The asker takes its request from the board, and gets its reward back; one that is withdrawn stays as it is. */
export async function takeBack(
  context: Intake<Own | "answer_waiting">,
  { request_id, by }: { readonly request_id: number; readonly by: Agent },
): Promise<void> {
  const { write, clock } = context;
  const standing = await findOwn(context, request_id, by);
  if (standing.status === "withdrawn") return;
  demandAllowed(context, [requestWithdrawn, rows.requestWithdrawn], {
    ...withdrawal(standing, "asker"),
    now: clock.now(),
  });
  await write(async (tx) => {
    const locked = await lockRequest(tx, request_id);
    if (locked.status === "withdrawn") return;
    const taken = { ...withdrawal(locked, "asker"), now: clock.now() };
    await enactAllowed(context, tx, [requestWithdrawn, rows.requestWithdrawn], taken);
    await giveBack(tx, locked);
  });
}

/**
 * The operator takes an open request from the board; false when it has an answer or is withdrawn already. Rejects with
 * `request_not_found`.
 */
export async function removeRequest(
  context: Pick<Intake, "read" | "write" | "clock"> & Rejects<"request_not_found">,
  id: number,
): Promise<boolean> {
  const { status } = await standingOf(context, id);
  if (status !== "open") return false;
  return context.write((tx) => removeIn(tx, id, context.clock.now()));
}

/** The same within a write. */
export async function removeIn(tx: Tx, id: number, now: Seconds): Promise<boolean> {
  const locked = await lockRequest(tx, id);
  if (locked.status !== "open") return false;
  await enactAllowed(NOBODY, tx, [requestWithdrawn, rows.requestWithdrawn], {
    ...withdrawal(locked, "operator"),
    now,
  });
  await giveBack(tx, locked);
  return true;
}

/** What a withdrawal seals, and what its rule reads. */
function withdrawal(row: Standing, by: "asker" | "operator") {
  const back = { agent: row.agent_id, reward_micro: row.reward || null };
  const terms = row.ends === "accepted" ? back : { made_at: null };
  return { before: seen(row), given: { request_id: row.id, by, ...terms } };
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
