import { isNewcomer } from "../../domains/identity/registrations/newcomers.ts";
import { demandStanding } from "../../domains/identity/standing.ts";
import type { Quota } from "../../domains/quota/accounts.ts";
import type { Caller } from "../../domains/quota/allowance.ts";
import { ROW_BYTES } from "../../domains/quota/rules.ts";
import type { Agent, Context } from "../../platform/context.ts";
import type { Db, Tx } from "../../platform/db/engine.ts";
import type { Sender } from "../../platform/kernel/contract/operation.ts";
import type { WriteStep } from "./write-steps.ts";

/** A caller whose token may end while it writes. */
interface Writer extends Caller {
  readonly agent: Agent | null;
}

/** The caller that is charged, and its bytes. */
export interface Charge {
  readonly caller: Writer;
  /** Of all texts that were sent. */
  readonly text_bytes: number;
  /** Rows that are stored beside its own transaction: the mark of a repetition. */
  readonly rows_beside: number;
  /** Whether it ends the caller's token. */
  readonly endsToken?: true | undefined;
}

/**
 * Charges a write to the caller: the texts before the first one begins, so that many at once cannot pass a bound
 * together, and 512 bytes for each row and entry when it is stored. Bytes that were not stored are given back. Nothing
 * is stored once the caller's token has ended: rejects with a 401 code then.
 */
export function charging(
  charge: Quota["charge"],
  { caller, text_bytes, rows_beside, endsToken }: Charge,
): { readonly charged: WriteStep } & Pick<Context, "chargeAhead"> {
  let left_bytes = text_bytes;
  let isStored = false;
  const { agent } = caller;
  const demand = async (tx: Db) => {
    if (agent !== null) await demandStanding(tx, agent, { endsToken });
  };

  async function store<T>(run: (rows: { count: number }) => Promise<T>): Promise<T> {
    const bytes = left_bytes;
    const add = charge(caller, bytes);
    left_bytes = 0;
    const giveBack = () => {
      add(-bytes);
      left_bytes = bytes; // For the next write of the same call.
    };
    const rows = { count: 0 };
    try {
      const result = await run(rows);
      if (rows.count === 0) giveBack();
      else add((rows.count + rows_beside) * ROW_BYTES);
      isStored ||= rows.count > 0;
      return result;
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  return {
    async chargeAhead(objects, work) {
      const given_bytes = left_bytes;
      const bytes = given_bytes + objects * ROW_BYTES;
      const add = charge(caller, bytes);
      left_bytes = 0;
      try {
        return await work();
      } finally {
        if (!isStored) {
          add(-bytes);
          left_bytes = given_bytes;
        }
      }
    },
    charged: (next) => (body, kind) =>
      store((rows) => next((tx) => standing(demand(tx.standing), counted(tx, body, rows)), kind)),
  };
}

/** What a write comes to while its caller's token stands; else the caller's 401 says why it comes to nothing. */
async function standing<T>(demanded: Promise<void>, written: Promise<T>): Promise<T> {
  // Both have begun, so that on PostgreSQL they travel together.
  const [stands, result] = await Promise.allSettled([demanded, written]);
  if (stands.status === "rejected") throw stands.reason;
  if (result.status === "rejected") throw result.reason;
  return result.value;
}

/** Runs a body, which may happen more than once, and counts its rows and entries. One that comes to null has none. */
async function counted<T>(
  tx: Tx,
  body: (tx: Tx) => Promise<T>,
  rows: { count: number },
): Promise<T> {
  const before = tx.entries.length + tx.inserted;
  const result = await body(tx);
  rows.count = result === null ? 0 : tx.entries.length + tx.inserted - before;
  return result;
}

/** A caller as the quota knows it. A caller without a token is a newcomer. */
export const callerFor = (
  agent: Agent | null,
  sender: Sender | null,
  { clock }: Pick<Context, "clock">,
): Omit<Writer, "isFree"> => ({
  agent,
  isNewcomer: agent === null || isNewcomer(agent, clock.now()),
  network: sender?.network ?? null,
});

/** Bytes of the texts that were sent under some names; what is no text counts as its JSON. */
export function textBytes(sent: object, names: readonly string[]): number {
  let bytes = 0;
  for (const name of names) {
    const value: unknown = Object.hasOwn(sent, name) ? Reflect.get(sent, name) : undefined;
    if (typeof value === "string") bytes += Buffer.byteLength(value);
    else if (typeof value === "object" && value !== null)
      bytes += Buffer.byteLength(JSON.stringify(value));
  }
  return bytes;
}
