import { ENTRY_KINDS } from "../../domains/entries.ts";
import {
  ACT_REFUSES,
  actViolation,
  type KnownKey,
  textOf,
} from "../../domains/identity/keys/act-rule.ts";
import {
  NOT_AFTER_S,
  placeOfActs,
  refuseNumber,
  toSign,
} from "../../domains/identity/keys/keys.ts";
import { keyOf, lockKey, noteAct } from "../../domains/identity/keys/queries.ts";
import type { Agent, Context } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/engine.ts";
import { type EntryKind, signedIn } from "../../platform/kernel/contract/entry-kind.ts";
import { type ErrorCode, type Rejects, reject } from "../../platform/kernel/contract/errors.ts";
import type { Operation } from "../../platform/kernel/contract/operation.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import { entryNamed } from "../../platform/ledger/append.ts";
import { proposed } from "../../platform/ledger/decide.ts";
import { PLATFORM } from "../../platform/ledger/platform.ts";
import { sha256Hex } from "../../platform/ledger/sha256.ts";
import type { WriteStep } from "./write-steps.ts";

/** How an agent has signed a write. */
interface SentAct {
  readonly act?: number | undefined;
  readonly not_after?: Seconds | undefined;
  readonly act_signature?: string | undefined;
}

/** Thrown out of the transaction of a write that finds that the same act was made before. */
class Repeated extends Error {
  readonly ref: string;

  constructor(ref: string) {
    super("This act was made before.");
    this.ref = ref;
  }
}

const SIGNED: ReadonlyMap<string, EntryKind> = new Map(
  ENTRY_KINDS.filter(({ signed }) => signed !== undefined).map((each) => [each.kind, each]),
);

/** Whether an operation takes the signature of an act. */
const takesActs = ({ input }: Pick<Operation, "input">): boolean => "act_signature" in input.shape;

/** Whether a write brings a signature. A trial needs none: a signature for one could be used for the write. */
export const isSigned = ({ input }: Pick<Call, "input">): boolean => {
  const { act_signature }: SentAct = input;
  return act_signature !== undefined;
};

/** An act as it was sent, and the hash of the whole request: a repetition is one to the last field. */
interface Sent {
  readonly sent: SentAct;
  readonly sha256: string;
}

const sentIn = ({ input, path }: Pick<Call, "input" | "path">): Sent => {
  const fields = Object.entries(input).sort(([a], [b]) => (a < b ? -1 : 1));
  const print = (_: string, value: unknown) => (typeof value === "bigint" ? `${value}` : value);
  return { sent: input, sha256: sha256Hex(JSON.stringify([path, fields], print)) };
};

type Row = NonNullable<Awaited<ReturnType<typeof keyOf.first>>>;

/** The ref of the entry that this very act has made before; refuses another one with its number. */
function earlierIn(
  { act: last_act, act_ref, ...last }: Row,
  { sent, sha256 }: Sent,
): string | null {
  const { act } = sent;
  if (act === undefined || act > last_act || sent.act_signature === undefined) return null;
  if (act < last_act) return refuseNumber({ reject }, ACT_REFUSES.stale, last_act);
  if (sent.act_signature === last.act_signature && sha256 === last.act_sha256) return act_ref;
  return reject("act_used", "You have made another act with this number.", [
    { field: "last_act", problem: `${last_act}` },
  ]);
}

/**
 * Runs a write. One that repeats an act of its agent writes nothing, and is answered as the first one was: that is
 * looked up before anything else, and again under the lock of the agent's key.
 */
export async function acted<T>(
  context: Pick<Context, "read">,
  call: Call,
  run: (repeated: string | null) => Promise<T>,
): Promise<T> {
  try {
    return await run(takesActs(call.operation) ? await repetitionOf(context, call) : null);
  } catch (error) {
    if (error instanceof Repeated) return run(error.ref);
    throw error;
  }
}

async function repetitionOf({ read }: Pick<Context, "read">, call: Call): Promise<string | null> {
  const said: SentAct = call.input;
  if (call.agent.key === undefined || said.act_signature === undefined) return null;
  const row = await keyOf.first(read, { agent: call.agent.id });
  return row === undefined ? null : earlierIn(row, sentIn(call));
}

interface Call {
  readonly agent: Agent;
  readonly operation: Pick<Operation, "input">;
  readonly path: string;
  readonly input: object;
}

/**
 * Around the writes of an agent with an act key: an entry that is an act of the agent has to be signed, and gets the
 * signature. It is checked over the entry as it is sealed, inside the transaction, so the text is never guessed. A
 * write that may be signed is alone in its transaction, so that one signature stands for one write. An agent without a
 * key pays nothing for it.
 */
export function signing(
  { clock, settings }: Pick<Context, "clock" | "settings">,
  call: Call,
): WriteStep | null {
  const { agent, operation } = call;
  if (agent.key === undefined) {
    if (isSigned(call) && takesActs(operation)) refuse(ACT_REFUSES.keyless);
    return null;
  }
  const sent = takesActs(operation) ? sentIn(call) : null;
  return (next) => (body, kind) => {
    if (kind === "upkeep") return next(body, kind);
    const alone = kind === "grouped" && sent !== null ? "usual" : kind;
    return next(async (tx) => {
      const row = sent === null ? undefined : await lockKey.first(tx, { agent: agent.id });
      const earlier = row === undefined || sent === null ? null : earlierIn(row, sent);
      if (earlier !== null) throw new Repeated(earlier);
      const before = tx.entries.length;
      const result = await body(tx);
      const acts = tx.entries.flatMap((each, at) => (at >= before && isAct(each) ? at : []));
      const [only] = acts;
      if (acts.length > 1)
        throw new Error("A signature is for one act, and a write has made more.");
      if (only !== undefined)
        await sign(tx, only, { row, agent, sent, now: clock.now(), settings });
      return result;
    }, alone);
  };
}

const isAct = ({ kind, body }: Tx["entries"][number]): boolean => {
  const known = SIGNED.get(kind);
  return known !== undefined && signedIn(known, body) !== null;
};

interface Signing {
  readonly row: Row | undefined;
  readonly agent: Agent;
  /** Null where the operation takes no signature: then nothing of it may be an act. */
  readonly sent: Sent | null;
  readonly now: Seconds;
  readonly settings: Context["settings"];
}

/** Puts the signature into an entry of a write, if it is right. */
async function sign(
  tx: Tx,
  i: number,
  { row, agent, sent, now, settings }: Signing,
): Promise<void> {
  const made = tx.entries[i];
  const kind = SIGNED.get(made?.kind ?? "");
  if (made === undefined || kind === undefined || row === undefined || sent === null)
    return refuse(ACT_REFUSES.unsigned);
  const { act = row.act + 1, not_after = now + NOT_AFTER_S, act_signature } = sent.sent;
  const numbers = { key: row.n, act, not_after };
  const body = { ...made.body, ...numbers, ...(act_signature && { act_signature }) };
  const entry = { ...proposed(body, now), ref: made.ref };
  const key: KnownKey = { ...row, lost: null };
  const acted = { kind, entry, agent: agent.agent_id, key };
  const place = await placeOfActs({ settings, reject }, tx);
  const violation = actViolation(acted, { ...place, ...PLATFORM });
  if (violation?.code === "act_gap") refuseNumber({ reject }, violation, row.act);
  if (violation !== undefined || act_signature === undefined) {
    const text = textOf(acted, place) ?? "";
    refuse(act_signature === undefined ? ACT_REFUSES.unsigned : violation, toSign(text, numbers));
  }
  tx.entries[i] = entryNamed(kind, made.ref, body);
  await noteAct.run(tx, {
    agent: agent.id,
    act,
    act_ref: made.ref,
    act_signature: act_signature ?? "",
    act_sha256: sent.sha256,
  });
}

function refuse(
  violation: { readonly code?: ErrorCode | undefined; readonly sentence: string } | undefined,
  details?: Parameters<Rejects<never>["reject"]>[2],
): never {
  const { code = "act_unsigned", sentence = ACT_REFUSES.unsigned.sentence } = violation ?? {};
  return reject(code, sentence, details);
}
