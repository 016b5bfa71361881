import * as z from "zod";
import { TOKEN_PATTERN } from "../../domains/identity/token-forms.ts";
import type { Quota } from "../../domains/quota/accounts.ts";
import type { Agent, Context, ServiceContext } from "../../platform/context.ts";
import { type Problem, reject } from "../../platform/kernel/contract/errors.ts";
import { HINTS_MAX } from "../../platform/kernel/contract/failure.ts";
import { normalized } from "../../platform/kernel/contract/fields.ts";
import type { Invocation } from "../../platform/kernel/contract/operation.ts";
import { withMe } from "../../platform/kernel/words/meaning.ts";
import { idHints } from "../../platform/kernel/words/spelling.ts";
import { TOKEN_MISSING } from "../wire/bearer.ts";
import { acted, isSigned, signing } from "./acts.ts";
import { callerFor, charging, textBytes } from "./charging.ts";
import { checkedInput } from "./checked-input.ts";
import type { ReadLimiter, Suspend } from "./read-limiter.ts";
import type { BoundOperation } from "./registry.ts";
import { isMarked, once, onceTried } from "./repeats.ts";
import { refusePast, remembering } from "./retries.ts";
import { hintsFor, refuseReserved, refuseUnknown } from "./teaching.ts";
import { tried, uncounted } from "./trying.ts";
import { stepping } from "./write-steps.ts";

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

/** A call of an operation whose input is checked. */
interface Call {
  readonly operation: BoundOperation;
  readonly path: string;
  readonly dispatcher: Dispatcher;
  readonly invocation: Invocation<Agent | null>;
  /** As it came. */
  readonly raw: object;
  /** The same under the operation's own names. */
  readonly sent: object;
  readonly input: Record<string, unknown>;
}

/** The call of an agent that writes. */
interface Write extends Call {
  readonly agent: Agent;
  /** Whether one mark for two contents is refused. */
  readonly isStrict: boolean;
}

/**
 * Calls a handler; HTTP, MCP and A2A all come through here. Resolves to the success body. Rejects
 * with 401 `token_missing`, 422 `validation_failed` or `token_in_body`, or what the operation says.
 */
export async function invoke(
  operation: BoundOperation,
  dispatcher: Dispatcher,
  invocation: Invocation<Agent | null>,
  raw: object,
): Promise<object> {
  const { agent, isStrict = false, isMarkStrict = isStrict } = invocation;
  if (operation.auth === "required" && agent === null) reject("token_missing", TOKEN_MISSING);

  const given = agent === null ? raw : withMe(operation, raw, agent.agent_id);
  const now = dispatcher.context.clock.now();
  const checked = checkedInput(operation, normalized(operation, given), { now, isStrict });
  if (isStrict) refuseUnknown(operation, checked.sent);
  else refuseReserved(operation, checked.sent);
  await refuseLiveTokens(dispatcher.anyLiveToken, checked.input);

  const { path } = operation;
  const call: Call = { operation, path, dispatcher, invocation, raw, ...checked };
  if (operation.method === "GET") return read(call);
  if (agent === null) return writeOfNobody(call);
  const write = { ...call, agent, isStrict: isMarkStrict };
  return Object(call.input).dry_run === 1 ? tryWrite(write) : makeWrite(write);
}

/** What a handler gets beside its context. */
interface Beside {
  /** The ref of the write that it shows again. */
  readonly repeated?: string | null;
  /** What the answer says first. */
  readonly noticed?: readonly Problem[];
  readonly afterAnswer?: Invocation<Agent>["afterAnswer"];
}

/** Runs the handler over its context, and resolves to the answer. */
async function answer(
  { operation, dispatcher, invocation, raw, sent, input }: Call,
  own: Context,
  { repeated = null, noticed = [], afterAnswer = invocation.afterAnswer }: Beside = {},
): Promise<object> {
  const { agent, sender = null, isTokenRefused = false, notices = [] } = invocation;
  const said: Problem[] = [];
  const hint = (problem: Problem) => void said.push(problem);
  const asked = { agent, sender, isTokenRefused, repeated, hint, afterAnswer };
  const output = await operation.run({ ...own, ...asked }, input);
  if (endedForSize(input, output)) dispatcher.context.occurrences.count("list_cut");
  const beside = [...idHints(operation, raw), ...hintsFor(operation, sent, input)];
  const hints = [...noticed, ...notices, ...said, ...beside].slice(0, HINTS_MAX);
  return {
    ok: true,
    ...(hints.length > 0 && { hints }),
    ...z.encode(operation.output, output),
    ...(repeated !== null && { repeated: true }),
  };
}

/** A read has slots while it works; a request that waits for the ledger reads nothing meanwhile, and gives them back. */
function read(call: Call): Promise<object> {
  const { operation, dispatcher, invocation, input } = call;
  const { context, reads } = dispatcher;
  const { waiter, stillCaller } = invocation;
  const { ledgerSignal } = context;
  /** Nobody is answered by a token that has ended meanwhile. */
  const waited = async <T>(suspend: Suspend, waiting: () => Promise<T>): Promise<T> => {
    waiter?.leaveSlot();
    const arrived = await suspend(waiting);
    if (operation.auth === "required") await stillCaller?.();
    return arrived;
  };
  return reads.run({ ...input, inSteps: operation.inSteps }, (suspend) =>
    answer(call, {
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

/** What its caller pays for a write. */
function chargingOf(call: Call) {
  const { operation, dispatcher, invocation, sent, input } = call;
  const { context, charge } = dispatcher;
  const { agent, sender = null } = invocation;
  return charging(charge, {
    caller: { ...callerFor(agent, sender, context), isFree: operation.quotaFree === true },
    text_bytes: textBytes(sent, Object.keys(input)),
    rows_beside: agent !== null && isMarked(call) ? 1 : 0,
    endsToken: operation.endsToken,
  });
}

/** A write without a token: a registration. */
function writeOfNobody(call: Call): Promise<object> {
  const { context } = call.dispatcher;
  const { charged, chargeAhead } = chargingOf(call);
  refusePast(context, call.input);
  return answer(call, { ...context, chargeAhead, write: stepping(context.write, charged) });
}

/** Makes a write: once for each mark, and once for each signature. */
function makeWrite(call: Write): Promise<object> {
  const { context } = call.dispatcher;
  const { charged, chargeAhead } = chargingOf(call);
  return once(context, call, ({ taking, again, hints: noticed }) => {
    if (again !== null) return answer(call, context, { repeated: again });
    return acted(context, call, (repeated) => {
      if (repeated === null) refusePast(context, call.input);
      const write = stepping(
        context.write,
        signing(context, call),
        remembering(context, call),
        charged,
        taking,
      );
      return answer(call, { ...context, chargeAhead, write }, { repeated, noticed });
    });
  });
}

const SIGNED_TRIAL =
  "A trial takes no signature, for that would do for the write itself. Send it without act_signature.";

/** The same without a trace. */
function tryWrite(call: Write): Promise<object> {
  const { context } = call.dispatcher;
  if (isSigned(call)) return context.reject("act_unsigned", SIGNED_TRIAL);
  const { charged, chargeAhead } = chargingOf(call);
  const { input, operation, invocation } = call;
  const trial = (run: (own: ServiceContext) => Promise<object>) =>
    tried(
      { ...context, write: stepping(context.write, charged) },
      {
        ...{ input, drawn: operation.drawn },
        run: (storage) => run({ ...uncounted(context), ...storage, chargeAhead }),
      },
    );
  const afterAnswer = () => {};
  return onceTried(context, call, {
    again: (repeated) => trial((own) => answer(call, own, { repeated, afterAnswer })),
    run: (noticed) =>
      trial((own) =>
        acted(own, call, (repeated) => {
          if (repeated === null) refusePast(context, input);
          const write = stepping(
            own.write,
            invocation.isUnsignable === true ? signing(context, call) : null,
            remembering(context, call),
          );
          return answer(call, { ...own, write }, { repeated, noticed, afterAnswer });
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
  if (tokens.size > 0 && (await anyLiveToken([...tokens])))
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
