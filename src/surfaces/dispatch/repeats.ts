import { setTimeout as pause } from "node:timers/promises";
import {
  endMarks,
  MARK_LIVES_S,
  MARK_WRITES_S,
  markOf,
  markOfCall,
  takeMarks,
} from "../../domains/identity/writes/marks.ts";
import { ownWrites, writtenUnder } from "../../domains/identity/writes/own-writes.ts";
import type { Agent, Context } from "../../platform/context.ts";
import { type Problem, Rejection, reject } from "../../platform/kernel/contract/errors.ts";
import type { Operation } from "../../platform/kernel/contract/operation.ts";
import { isoOf } from "../../platform/kernel/iso-time.ts";
import type { WriteStep } from "./write-steps.ts";

type Needs = Pick<Context, "read" | "write" | "clock">;

/** A write of an agent, as its caller sent it. */
interface Call {
  readonly agent: Agent;
  readonly operation: Pick<Operation, "endsToken" | "again">;
  readonly path: string;
  readonly input: { readonly client_ref?: unknown };
  /** Whether one mark for two contents is refused; else the second is written, with a hint. */
  readonly isStrict: boolean;
}

/** What a caller marked, and the hash of all that makes its write the same write. */
interface Marked {
  readonly agent: number;
  readonly path: string;
  readonly client_ref: string;
  readonly mark_sha256: Uint8Array;
}

/** How a write is run: for the first time, or to show again what the ref of an earlier one names. */
export interface Run {
  /** Takes the mark before the first write; null where there is none to take. */
  readonly taking: WriteStep | null;
  readonly again: string | null;
  readonly hints: readonly Problem[];
}

/** How often and how long a repetition looks for the answer of the first one. */
const LOOKS_MS = [10, 20, 40, 80, 160, 320, 640, 1_000, 1_000, 1_000, 1_000, 1_000, 1_000, 1_000];

/** Thrown out of a write whose mark another one has taken. */
class Taken extends Error {}

/**
 * Runs a write. The same agent, operation, `client_ref` and content within 30 days write once, however often and
 * wherever they arrive: a repetition waits for the first one and resolves to its answer, with `repeated`. Rejects
 * with 409 `write_under_way` where that takes longer than 8 seconds, and with `client_ref_used` where the answer
 * was lost with a process.
 */
export async function once(
  context: Needs,
  call: Call,
  run: (how: Run) => Promise<object>,
): Promise<object> {
  const marked = markedIn(call);
  if (marked === null) return run({ taking: null, again: null, hints: [] });
  for (const look_ms of LOOKS_MS) {
    const earlier = await earlierOf(context, marked, call.operation);
    if (typeof earlier === "object") return repeated(earlier.answer, run);
    if (earlier === "free") {
      const hints = await hintsOn(context, marked, call);
      try {
        return await first(context, marked, {
          ...call,
          run: (taking) => run({ taking, again: null, hints }),
        });
      } catch (error) {
        if (!(error instanceof Taken)) throw error;
      }
    }
    await pause(look_ms);
  }
  return refuseUnderWay();
}

/**
 * The same for a write that is only tried: nothing is marked. Resolves to the answer of the write that it would
 * repeat, or runs the trial with what the mark has to say. Rejects as the write would.
 */
export async function onceTried(
  context: Pick<Context, "read" | "clock">,
  call: Call,
  { run, again }: { readonly run: Trying; readonly again: (ref: string) => Promise<object> },
): Promise<object> {
  const marked = markedIn(call);
  if (marked === null) return run([]);
  for (const look_ms of LOOKS_MS) {
    const earlier = await earlierOf(context, marked, call.operation);
    if (earlier === "free") return run(await hintsOn(context, marked, call));
    if (typeof earlier === "object") {
      const { answer } = earlier;
      const shown = typeof answer === "string" ? await again(answer) : Object(answer);
      return { ...shown, repeated: true, dry_run: true, entries: [] };
    }
    await pause(look_ms);
  }
  return refuseUnderWay();
}

type Trying = (hints: readonly Problem[]) => Promise<object>;

const refuseUnderWay = (): never =>
  reject("write_under_way", "This same write is under way. Ask for it again soon.");

/** A repetition of what can change since is shown as it is now. */
async function repeated(answer: unknown, run: (how: Run) => Promise<object>): Promise<object> {
  const shown =
    typeof answer === "string"
      ? await run({ taking: null, again: answer, hints: [] })
      : Object(answer);
  return { ...shown, repeated: true };
}

/** Whether a write has a mark, by which its repetition is found. */
export const isMarked = ({ operation, input }: Pick<Call, "operation" | "input">): boolean =>
  typeof input.client_ref === "string" && operation.endsToken !== true;

function markedIn(call: Call): Marked | null {
  const { agent, path, input } = call;
  const { client_ref } = input;
  if (typeof client_ref !== "string" || !isMarked(call)) return null;
  return { agent: agent.id, path, client_ref, mark_sha256: markOfCall(call) };
}

/**
 * The answer of the same write, if it was made before; "free" where none was, "taken" while it is made. A write that
 * was stored without its answer, because a process ended in between, is shown again where its operation can.
 */
async function earlierOf(
  { read, clock }: Pick<Context, "read" | "clock">,
  marked: Marked,
  { again }: Call["operation"],
): Promise<{ readonly answer: unknown } | "free" | "taken"> {
  const row = await markOf.first(read, marked);
  const now = clock.now();
  if (row === undefined || row.taken_at < now - MARK_LIVES_S) return "free";
  if (row.answer !== null) return { answer: JSON.parse(row.answer) };
  const own = await writtenUnder.first(read, marked);
  if (again !== undefined && own?.item != null) return { answer: own.item };
  if (row.taken_at >= now - MARK_WRITES_S) return "taken";
  if (own === undefined) return "free";
  return reject("client_ref_used", "You have made this write before; its answer was lost.", [
    { field: "client_ref", problem: nameOf(own) },
  ]);
}

const newestOf = (read: Context["read"], { agent, path, client_ref }: Marked) =>
  ownWrites.first(read, { agent, path, client_ref, before_id: Number.MAX_SAFE_INTEGER, limit: 1 });

const nameOf = (own: {
  readonly kind: string | null;
  readonly item: string | null;
  readonly created_at: number;
}): string =>
  `named ${own.kind === null ? "a write" : `${own.kind} ${own.item ?? ""}`.trim()} at ${isoOf(own.created_at)}`;

/** Other content under a mark that is in use is another write, and its caller is told. */
async function hintsOn(
  { read, clock }: Pick<Context, "read" | "clock">,
  marked: Marked,
  { isStrict }: Call,
): Promise<readonly Problem[]> {
  const own = await newestOf(read, marked);
  if (own === undefined || own.created_at < clock.now() - MARK_LIVES_S) return [];
  const details = [{ field: "client_ref", problem: `${nameOf(own)}; this is another write` }];
  if (!isStrict) return details;
  return reject("client_ref_used", "You gave this client_ref to another write before.", details);
}

interface First extends Call {
  readonly run: (taking: WriteStep) => Promise<object>;
}

/** Takes the mark when the write begins, and leaves its answer there; a write that is refused gives it back. */
async function first(
  { write, clock }: Needs,
  { agent, mark_sha256 }: Marked,
  { operation, run }: First,
): Promise<object> {
  let isTaken = false;
  const take = async () => {
    if (isTaken) return;
    const mark = { mark_sha256, agent, taken_at: clock.now() };
    if (!(await write((tx) => tx.together(takeMarks, mark), "grouped"))) throw new Taken();
    isTaken = true;
  };
  // The write is stored by then: without its answer the mark stands for a write whose answer was lost.
  const end = (answer: string | null) =>
    write((tx) => tx.together(endMarks, { mark_sha256, answer }), "grouped").catch(() => null);
  let isStored = false;
  const stored = (outcome: unknown) => {
    // Of what is stored it is a record, of what is not a word or null, which the handler refuses.
    isStored ||= typeof outcome === "object" && outcome !== null;
  };
  let answer: object;
  try {
    answer = await run(takingFirst({ take, stored }));
  } catch (error) {
    if (isTaken && !isStored && nothingWasWritten(error)) await end(null);
    throw error;
  }
  if (isTaken) await end(JSON.stringify(operation.again?.(Object(answer)) ?? answer));
  return answer;
}

/** After other failures nobody knows, so the mark stays for a minute. */
const nothingWasWritten = (error: unknown): boolean =>
  error instanceof Rejection && error.code !== "storage_unavailable";

interface Taking {
  readonly take: () => Promise<void>;
  /** Hears what a write has come to. */
  readonly stored: (outcome: unknown) => void;
}

/** Begins each write with `take`. */
const takingFirst =
  ({ take, stored }: Taking): WriteStep =>
  (next) =>
  async (body, kind) => {
    if (kind === "upkeep") return next(body, kind);
    await take();
    const outcome = await next(body, kind);
    stored(outcome);
    return outcome;
  };
