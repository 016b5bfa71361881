import * as z from "zod";
import type { Agent, Context, ServiceContext } from "../../context.ts";
import { TOKEN_PATTERN } from "../../identity/token-forms.ts";
import { type Problem, reject } from "../../kernel/contract/errors.ts";
import { HINTS_MAX } from "../../kernel/contract/failure.ts";
import { normalized } from "../../kernel/contract/fields.ts";
import type { Invocation } from "../../kernel/contract/operation.ts";
import { withMe } from "../../kernel/words/meaning.ts";
import { idHints } from "../../kernel/words/spelling.ts";
import type { Quota } from "../../quota/accounts.ts";
import { TOKEN_MISSING } from "../wire/bearer.ts";
import { acted, acting, isSigned } from "./acts.ts";
import { callerFor, charged, textBytes } from "./charging.ts";
import { checkedInput } from "./checked-input.ts";
import type { ReadLimiter, Suspend } from "./read-limiter.ts";
import type { BoundOperation } from "./registry.ts";
import { once, onceTried } from "./repeats.ts";
import { marked, refusePast } from "./retries.ts";
import { hintsFor, refuseReserved, refuseUnknown } from "./teaching.ts";
import { tried, uncounted } from "./trying.ts";

/** What every call needs, whatever surface it came by. */
export interface Dispatcher {
  readonly context: ServiceContext;
  /** Whether an agent acts with one of these now; asked for what looks like a token in an input. */
  readonly anyLiveToken: (tokens: readonly string[]) => Promise<boolean>;
  /** Takes what a caller writes off what it may store today. */
  readonly charge: Quota["charge"];
  /** Bounds the reads; the writes have a queue of their own in the storage. */
  readonly reads: ReadLimiter;
}

/**
 * Calls a handler; HTTP, MCP and A2A all come through here. Resolves to the success body. Rejects
 * with 401 `token_missing`, 422 `validation_failed` or `token_in_body`, or what the operation says.
 */
export async function invoke(
  operation: BoundOperation,
  { context, anyLiveToken, reads, charge }: Dispatcher,
  invocation: Invocation<Agent | null>,
  raw: object,
): Promise<object> {
  if (operation.auth === "required" && invocation.agent === null)
    reject("token_missing", TOKEN_MISSING);

  const { agent: caller } = invocation;
  const given = caller === null ? raw : withMe(operation, raw, caller.agent_id);
  const { sent, input } = checkedInput(operation, normalized(operation, given), {
    now: context.clock.now(),
    isStrict: invocation.isStrict === true,
  });
  if (invocation.isStrict === true) refuseUnknown(operation, sent);
  else refuseReserved(operation, sent);

  await refuseLiveTokens(anyLiveToken, input);
  const answer: Answering = async (own, { repeated = null, noticed = [], afterAnswer } = {}) => {
    const said: Problem[] = [];
    const hint = (problem: Problem) => void said.push(problem);
    const { notices = [], ...call } = invocation;
    const asked = { ...own, ...call, ...(afterAnswer && { afterAnswer }), repeated, hint };
    const output = await operation.run(asked, input);
    if (endedForSize(input, output)) context.occurrences.count("list_cut");
    const beside = [...idHints(operation, raw), ...hintsFor(operation, sent, input)];
    const hints = [...noticed, ...notices, ...said, ...beside].slice(0, HINTS_MAX);
    return {
      ok: true,
      ...(hints.length > 0 && { hints }),
      ...z.encode(operation.output, output),
      ...(repeated !== null && { repeated: true }),
    };
  };
  if (operation.method !== "GET") {
    const { agent, sender = null, isStrict = false, isMarkStrict = isStrict } = invocation;
    const { isUnsignable = false } = invocation;
    const writes = charged(context, charge, {
      caller: { ...callerFor(agent, sender, context), isFree: operation.quotaFree === true },
      text_bytes: textBytes(sent, Object.keys(input)),
      endsToken: operation.endsToken,
    });
    const own = { ...context, ...writes };
    if (agent === null) {
      refusePast(context, input);
      return answer(own);
    }
    const { path } = operation;
    const call = { agent, operation, path, input, isStrict: isMarkStrict, isUnsignable };
    return Object(input).dry_run === 1 ? triedWrite(own, call, answer) : write(own, call, answer);
  }
  const { ledgerSignal } = context;
  const { waiter, stillCaller } = invocation;
  const { inSteps } = operation;
  /** Nobody is answered by a token that has ended meanwhile. */
  const waited = async <T>(suspend: Suspend, waiting: () => Promise<T>): Promise<T> => {
    waiter?.leaveSlot();
    const arrived = await suspend(waiting);
    if (operation.auth === "required") await stillCaller?.();
    return arrived;
  };
  // A request that waits for the ledger reads nothing meanwhile, and is not worked on.
  return reads.run({ ...input, inSteps }, (suspend) =>
    answer({
      ...context,
      ledgerSignal: {
        waitForEntry: (entry, wait_s) =>
          waited(suspend, () => ledgerSignal.waitForEntry(entry, wait_s, waiter)),
        waitForConcern: (news, wait_s) =>
          waited(suspend, () => ledgerSignal.waitForConcern(news, wait_s, waiter)),
      },
    }),
  );
}

/** How a handler is run: beside its storage, the ref of the write that it shows again, and what the answer says first. */
type Answering = (
  own: Context,
  how?: {
    readonly repeated?: string | null;
    readonly noticed?: readonly Problem[];
    readonly afterAnswer?: Invocation<Agent>["afterAnswer"];
  },
) => Promise<object>;

/** A write of an agent. */
interface Call {
  readonly agent: Agent;
  readonly operation: BoundOperation;
  readonly path: string;
  readonly input: object;
  readonly isStrict: boolean;
  readonly isUnsignable: boolean;
}

/** Makes a write: once for each mark, and once for each signature. */
const write = (context: Context, call: Call, answer: Answering): Promise<object> =>
  once(context, call, ({ writes, again, hints: noticed }) => {
    const taking = { ...context, ...writes };
    if (again !== null) return answer(taking, { repeated: again });
    const own = { ...taking, ...marked(taking, call) };
    return acted(context, call, (repeated) => {
      if (repeated === null) refusePast(context, call.input);
      return answer({ ...own, ...acting(own, call) }, { repeated, noticed });
    });
  });

/** The same without a trace. */
function triedWrite(context: Context, call: Call, answer: Answering): Promise<object> {
  const afterAnswer = () => {};
  const trial = (run: (own: Context) => Promise<object>) =>
    tried(context, {
      input: call.input,
      drawn: call.operation.drawn,
      run: (trying) => {
        const free = { ...uncounted(context), ...trying };
        return run({ ...free, ...marked(free, call) });
      },
    });
  return onceTried(context, call, {
    again: (repeated) => trial((own) => answer(own, { repeated, afterAnswer })),
    run: (noticed) =>
      trial((own) =>
        acted(own, call, (repeated) => {
          if (repeated === null) refusePast(context, call.input);
          const signing = call.isUnsignable || isSigned(call) ? acting(own, call) : {};
          return answer({ ...own, ...signing }, { repeated, noticed, afterAnswer });
        }),
      ),
  });
}

/** Whether a list has more and ended before its limit: its items came to all that an answer may hold. */
const endedForSize = (
  { limit }: { limit?: unknown },
  { count, more }: { count?: unknown; more?: unknown },
): boolean =>
  more === true && typeof limit === "number" && typeof count === "number" && count < limit;

/** Strings in the form of a token are looked up, so one input may hold only so many. */
export const TOKENS_MAX = 256;

/** Rejects with 422 `token_in_body` when any string of an input holds a token that works. */
async function refuseLiveTokens(
  anyLiveToken: Dispatcher["anyLiveToken"],
  input: unknown,
): Promise<void> {
  const tokens = tokensIn(input);
  if (tokens.size > TOKENS_MAX)
    reject("token_in_body", `Send at most ${TOKENS_MAX} strings that look like tokens.`);
  if (await anyLiveToken([...tokens]))
    reject("token_in_body", "Your input holds a live token. Nothing was stored; take it out.");
}

const TOKEN = new RegExp(TOKEN_PATTERN, "g");
/** What each form begins with, so that most texts are not searched. */
const BEGINNING = /(?:sk|cg|cr)_/;

/** Whatever looks like a token in the strings of `value`, at any depth. */
function tokensIn(value: unknown, found = new Set<string>()): ReadonlySet<string> {
  if (typeof value === "string") {
    if (BEGINNING.test(value))
      for (const [token] of value.matchAll(TOKEN)) {
        found.add(token);
        if (found.size > TOKENS_MAX) break;
      }
  } else if (typeof value === "object" && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      tokensIn(name, found);
      tokensIn(member, found);
    }
  }
  return found;
}
