import type { Agent, Context } from "../../context.ts";
import type { InsertTx, Tx, WriteKind } from "../../db/engine.ts";
import { markOfCall } from "../../identity/writes/marks.ts";
import { refuseLate, rememberWrite, rememberWrites } from "../../identity/writes/own-writes.ts";
import { reject } from "../../kernel/contract/errors.ts";
import type { Seconds } from "../../kernel/time.ts";

/** What a caller sent with a write to find it again (`retryFields`). */
interface Marks {
  readonly client_ref: string | undefined;
  readonly not_after: Seconds | undefined;
}

const marksOf = ({
  client_ref,
  not_after,
}: {
  readonly client_ref?: unknown;
  readonly not_after?: unknown;
}): Marks => ({
  client_ref: typeof client_ref === "string" ? client_ref : undefined,
  not_after: typeof not_after === "number" ? not_after : undefined,
});

/** Refuses a write with 409 `too_late` once its time is over, also where it would find nothing to change. */
export function refusePast({ clock }: Pick<Context, "clock">, input: object): void {
  const { not_after } = marksOf(input);
  const now = clock.now();
  if (not_after !== undefined && now > not_after) refuseLate(reject, now);
}

/**
 * The same write: refused with 409 `too_late` when the time that its caller set is over, and remembered
 * under the caller's `client_ref`. A shared write does both itself; an `upkeep` write is not the caller's.
 */
export function marked(
  { write, insert, clock }: Pick<Context, "write" | "insert" | "clock">,
  call: { readonly agent: Agent; readonly path: string; readonly input: object },
): Pick<Context, "write" | "insert"> {
  const { agent, path } = call;
  const { client_ref, not_after } = marksOf(call.input);
  if (client_ref === undefined && not_after === undefined) return { write, insert };

  /** Runs a body, and resolves to the row that remembers it, if its caller gave it a mark. */
  async function run<Of extends Pick<Tx, "entries">, T>(tx: Of, body: (tx: Of) => Promise<T>) {
    refusePast({ clock }, { not_after });
    const before = tx.entries.length;
    const result = await body(tx);
    if (client_ref === undefined) return { result, row: null };
    const entry = tx.entries[before];
    const made = { kind: entry?.kind ?? null, item: entry?.ref ?? idOf(result) };
    const own = { agent: agent.id, client_ref, path, mark_sha256: markOfCall(call) };
    return { result, row: { ...own, ...made, created_at: clock.now() } };
  }

  return {
    write: <T>(body: (tx: Tx) => Promise<T>, kind?: WriteKind) =>
      write(async (tx) => {
        if (kind === "upkeep") return body(tx);
        const { result, row } = await run(tx, body);
        if (row !== null) await rememberWrites(tx, [row]);
        return result;
      }, kind),
    insert: <T>(body: (tx: InsertTx) => Promise<T>) =>
      insert(async (tx) => {
        const { result, row } = await run(tx, body);
        if (row !== null) await tx.insert(rememberWrite, row);
        return result;
      }),
  };
}

/** The id of a row, when a write resolves to one. */
function idOf(result: unknown): string | null {
  const id: unknown = Object(result).id;
  return typeof id === "number" ? String(id) : null;
}
