import assert from "node:assert/strict";
import { Rejection } from "../src/platform/kernel/contract/errors.ts";
import { newPair, setKey } from "./act-keys.ts";
import type { Reply, TestAgent, TestService } from "./service.ts";

/** A call of one operation that works until a fault is put into it. */
export interface Call {
  readonly path: string;
  by: TestAgent;
  body: Record<string, unknown>;
}

/** The code of a refusal, or the clause of a rule, whose sentence the caller gets as well. */
export type Told = string | { readonly code: string; readonly sentence: string };

/** One way in which a call is wrong, with what answers it alone. */
export interface Fault<C extends Call> {
  readonly name: string;
  readonly code: Told;
  /** Faults that cannot be in the same call. */
  readonly without?: readonly string[];
  /** It takes from a caller or a party what the other fault is made with. */
  readonly isLast?: true;
  put(call: C): unknown;
}

/** An operation, and what can be wrong with a call of it. */
interface Faulty<C extends Call> {
  /** A call that works, with things of its own. */
  fresh(): Promise<C>;
  /** In the order in which a caller is told of them. */
  readonly faults: readonly Fault<C>[];
  /** For an act of the operator, who has no route. */
  readonly act?: (call: C) => Promise<unknown>;
}

/**
 * Calls an operation without a fault, with each fault, and with each pair of them: of two the one that stands first is
 * told, and nothing is written. The later one is put in first, while the thing is still at hand.
 */
export async function tellsFirst<C extends Call>(
  service: Pick<TestService, "get" | "sequenced">,
  { fresh, faults, act = undefined }: Faulty<C>,
): Promise<void> {
  const send = act === undefined ? post : (call: C) => answered(act(call));
  const works = await fresh();
  const worked = await send(works);
  assert.ok(worked.status < 300, `${works.path} works: ${JSON.stringify(worked.body)}`);
  for (const [i, first] of faults.entries())
    for (const second of [undefined, ...faults.slice(i + 1)]) {
      if (second !== undefined && isApart(first, second)) continue;
      const call = await fresh();
      const both = second === undefined ? [first] : [second, first];
      for (const { put } of both.sort(byPlace)) await put(call);
      const before = await entriesOf(service);
      const { status, body } = await send(call);
      const what = `${call.path}: ${first.name}${second === undefined ? "" : `, ${second.name}`}`;
      const { code, said } = answerOf(first.code);
      assert.deepEqual([status >= 400, body.error], [true, code], what);
      assert.match(body.message, said, what);
      assert.equal(await entriesOf(service), before, `${what} writes nothing`);
    }
}

/** Names of operations stand in a sentence where the wire has their routes. */
function answerOf(told: Told): { readonly code: string; readonly said: RegExp } {
  if (typeof told === "string") return { code: told, said: /./ };
  const parts = told.sentence.split(/\{[\w.]+\}/).map((part) => RegExp.escape(part));
  return { code: told.code, said: new RegExp(`^${parts.join(".+")}$`) };
}

type Answer = Pick<Reply, "status" | "body">;

const post = ({ by, path, body }: Call): Promise<Answer> => by.post(path, body);

/** The end of an act as a route would tell it. */
const answered = (act: Promise<unknown>): Promise<Answer> =>
  act.then(
    () => ({ status: 200, body: {} }),
    (error: unknown) => {
      if (!(error instanceof Rejection)) throw error;
      return { status: 400, body: { error: error.code, message: error.message } };
    },
  );

const byPlace = (one: Fault<never>, other: Fault<never>): number =>
  Number(one.isLast ?? false) - Number(other.isLast ?? false);

const isApart = (one: Fault<never>, other: Fault<never>): boolean =>
  one.without?.includes(other.name) === true || other.without?.includes(one.name) === true;

async function entriesOf({
  get,
  sequenced,
}: Pick<TestService, "get" | "sequenced">): Promise<number> {
  await sequenced();
  return (await get("/market/ledger")).body.as_of_ledger_id;
}

/** A field with a value that makes the call wrong. */
export const field = (
  name: string,
  value: unknown,
  code: Told,
  without: readonly string[] = [],
): Fault<Call> => ({
  name: `${name} is ${value}`,
  code,
  without,
  put({ body }) {
    body[name] = value;
  },
});

/** An id of a field that nothing has. */
export const unknown = (name: string, code: Told): Fault<Call> => field(name, 999_999, code);

/** The call of somebody else. */
export const by = <C extends Call>(
  name: string,
  code: Told,
  agent: (call: C) => TestAgent | Promise<TestAgent>,
): Fault<C> => ({
  name: `by ${name}`,
  code,
  async put(call) {
    call.by = await agent(call);
  },
});

/** The caller has an act key, and signs nothing. */
export const unsigned: Fault<Call> = {
  name: "unsigned",
  code: "act_unsigned",
  isLast: true,
  async put({ by: agent }) {
    const { status, body } = await setKey(agent, newPair());
    assert.equal(status, 200, JSON.stringify(body));
  },
};

/** A call that a test makes beforehand, and that has to work; resolves to its answer. */
export async function made(reply: Promise<Reply>): Promise<Reply["body"]> {
  const { status, body } = await reply;
  assert.ok(status < 300, JSON.stringify(body));
  return body;
}
