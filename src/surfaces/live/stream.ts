import type { Agent, LedgerSignal, ServiceContext } from "../../platform/context.ts";
import { Rejection } from "../../platform/kernel/contract/errors.ts";
import type { Sender, Waiter } from "../../platform/kernel/contract/operation.ts";
import type { Dispatcher } from "../dispatch/invoke.ts";
import type { BoundOperation } from "../dispatch/registry.ts";
import type { Answers, Exchange, HeaderList } from "../wire/answer.ts";
import { type Callers, callerOf } from "../wire/bearer.ts";
import { weightsIn } from "../wire/content-coding.ts";
import type { Fields } from "../wire/edge.ts";
import { drained, EVENTS_HEAD } from "./events.ts";
import { block, type LivePage, livePages } from "./pages.ts";
import { FULL, type StreamSlots } from "./slots.ts";

/** A stream ends after so long; its client goes on from the last id. */
export const STREAM_LIFE_MS = 15 * 60_000;
/** How often a position is sent when nothing happens. */
const POSITION_EVERY_MS = 15_000;
/** How often, at most, when only entries happen that its filter leaves out. */
const MOVED_EVERY_MS = 1_000;
/** A stream is written so far ahead of its reader, or by one event. */
export const AHEAD_MAX_BYTES = 256 * 1024;
/** When a client that lost its stream tries again, unless it knows better. */
/** Each client comes back at a moment of its own, so that a restart does not bring all of them at once. */
const RETRY_MS = { least: 1_000, spread: 4_000 } as const;
const PAGE_MAX = 100;

export interface LiveParts {
  readonly answers: Answers;
  readonly dispatcher: Dispatcher;
  readonly slots: StreamSlots;
}

/** A request for a stream, worked on. */
export interface LiveCall {
  readonly exchange: Exchange;
  readonly fields: Fields;
  readonly callers: Callers;
  readonly sender: Sender | null;
  /** As for the same read without a stream. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly waiterFor: (agent: Agent | null) => Waiter;
}

/** Whether a request asks for events and for nothing else. */
export function asksForStream({ live }: BoundOperation, method: string, { accept }: Fields) {
  if (live === undefined || method !== "GET" || accept === undefined) return false;
  const weights = weightsIn(accept);
  const likes = (type: string) => (weights.get(type) ?? 0) > 0;
  return likes("text/event-stream") && !likes("application/json");
}

/** Answers with a stream: position, page, write, wait. The ledger is the buffer. */
export function streaming({ answers, dispatcher, slots }: LiveParts) {
  const pages = livePages(dispatcher);
  const head = answers.headers(STREAM_HEAD);
  const { ledgerSignal, random } = dispatcher.context;

  return async (operation: BoundOperation, call: LiveCall): Promise<void> => {
    const { exchange, fields, callers, sender } = call;
    const auth = operation.auth === "none" ? "optional" : operation.auth;
    const caller = () => callerOf(auth, fields.authorization, callers);
    const agent = await caller();
    const { res } = exchange;
    let makesRoom = false;
    const leave = slots.take({ agent, sender }, () => {
      makesRoom = true;
      if (res.headersSent) res.end();
    });
    try {
      const waiter = call.waiterFor(agent);
      const invocation = { agent, sender, afterAnswer() {}, waiter };
      let asked = firstInput(call);
      let page = await pages.read(operation, invocation, asked);
      waiter.leaveSlot();
      if (makesRoom) throw FULL;
      answers.open(exchange, head);
      const kinds = filterIn(operation, asked);
      const pen = penOf(exchange, { answers, slots, random });
      try {
        while (await pen.write(page)) {
          if (
            !pen.isBehind() &&
            !(await waitFor(ledgerSignal, { agent, operation, pen, waiter, kinds }))
          )
            break;
          if (operation.auth === "required") await caller();
          asked = { ...asked, ...pen.place() };
          const read = pen.isBehind() ? pages.read : pages.readNews;
          page = await read(operation, invocation, asked);
        }
      } catch (error) {
        answers.heardOf(exchange, error);
      } finally {
        pen.end();
      }
    } finally {
      leave();
    }
  };
}

/** The words by which events are left out; undefined where none are. */
function filterIn({ live }: BoundOperation, input: Readonly<Record<string, unknown>>) {
  const words = input[live?.filter?.field ?? ""];
  return typeof words === "string" ? words.split(",") : undefined;
}

interface Waiting {
  readonly agent: Agent | null;
  readonly operation: BoundOperation;
  readonly pen: Pen;
  readonly waiter: Waiter;
  readonly kinds: readonly string[] | undefined;
}

/** False when the stream must end: its life is over, it makes room, its client or the service goes. */
function waitFor(signal: LedgerSignal, { agent, operation, pen, waiter, kinds }: Waiting) {
  const { after_id, after_message_id = 0 } = pen.place();
  const wait_s = STREAM_LIFE_MS / 1_000;
  return operation.auth === "required" && agent !== null
    ? signal.waitForConcern({ agent: agent.id, after_id, after_message_id }, wait_s, waiter)
    : signal.waitForEntry({ after_id, kinds }, wait_s, waiter);
}

/** Where a stream begins. `Last-Event-ID` wins over what the query says. */
function firstInput({
  fields: { lastEventId },
  input,
}: LiveCall): Readonly<Record<string, unknown>> {
  const { wait, since, ts, before_id, limit, ...rest } = input;
  if (before_id !== undefined)
    throw invalid("before_id", "a stream only goes forward; leave it out");
  const most = Number(limit) > PAGE_MAX ? String(PAGE_MAX) : limit;
  const own = most === undefined ? rest : { ...rest, limit: most };
  // An empty id means none (HTML standard, 9.2.4).
  if (lastEventId === undefined || lastEventId === "") {
    const from = since ?? ts;
    return from === undefined ? own : { ...own, since: from };
  }
  const after_id = /^[0-9]{1,16}$/.test(lastEventId) ? Number(lastEventId) : Number.NaN;
  if (!Number.isSafeInteger(after_id))
    throw invalid("Last-Event-ID", "must be the id of an event of this stream");
  return { ...own, after_id: String(after_id) };
}

const invalid = (field: string, problem: string): Rejection =>
  new Rejection("validation_failed", `\`${field}\` ${problem}.`, [{ field, problem }]);

type Pen = ReturnType<typeof penOf>;

/** Writes one stream, never further ahead of its reader than `AHEAD_MAX_BYTES`. */
function penOf(
  { res }: Exchange,
  { answers, slots, random }: Pick<LiveParts, "answers" | "slots"> & Pick<ServiceContext, "random">,
) {
  const ends_ms = slots.now_ms() + STREAM_LIFE_MS;
  let wrote_ms = Number.NEGATIVE_INFINITY;
  let after_id = 0;
  let after_message_id: number | undefined;
  let news: object = {};
  let isBehind = false;
  let isBlocked = false;
  let lastSent = "";
  const position = () => block(after_id, "position", { after_id, ...news });
  const isOpen = () => !res.destroyed && !res.writableEnded;

  function tell(now_ms: number): void {
    lastSent = position();
    wrote_ms = now_ms;
    res.write(lastSent);
  }

  const stay = slots.watch({
    poll(now_ms) {
      if (answers.draining() || now_ms >= ends_ms) res.end();
      if (isBlocked || !isOpen()) return;
      const quiet_ms = now_ms - wrote_ms;
      if (quiet_ms >= (lastSent === position() ? POSITION_EVERY_MS : MOVED_EVERY_MS)) tell(now_ms);
    },
  });
  const [part = 0] = random(1);
  const retry_ms = RETRY_MS.least + Math.floor((part / 256) * RETRY_MS.spread);
  res.write(`retry: ${retry_ms}\n\n`);

  return {
    isBehind: () => isBehind,
    place: () => ({ after_id, ...(after_message_id !== undefined && { after_message_id }) }),
    /** Resolves when more may be written; to false when nobody reads any longer. */
    async write(page: LivePage): Promise<boolean> {
      if (!isOpen()) return false;
      let text = "";
      let bytes = 0;
      let written = 0;
      for (const event of page.events) {
        if (written > 0 && bytes + event.bytes > AHEAD_MAX_BYTES) break;
        text += event.text;
        bytes += event.bytes;
        after_id = event.id;
        written++;
      }
      isBehind = page.more || written < page.events.length;
      if (!isBehind || page.events.length === 0) after_id = page.after_id;
      const isMessage = after_message_id !== undefined && page.after_message_id > after_message_id;
      if ("after_message_id" in page.news) after_message_id = page.after_message_id;
      news = page.news;
      if (isMessage) text += position();
      if (text === "") return true;
      wrote_ms = slots.now_ms();
      lastSent = isMessage || after_id === page.events[written - 1]?.id ? position() : "";
      isBlocked = !res.write(text);
      if (isBlocked) await drained(res);
      isBlocked = false;
      return isOpen();
    },
    end(): void {
      stay();
      res.end();
    },
  };
}

const STREAM_HEAD: HeaderList = [...EVENTS_HEAD, "Vary", "Accept"];
