import { markOfCall } from "../../domains/identity/writes/marks.ts";
import { refuseLate, rememberWrite } from "../../domains/identity/writes/own-writes.ts";
import type { Agent, Context } from "../../platform/context.ts";
import { reject } from "../../platform/kernel/contract/errors.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import type { WriteStep } from "./write-steps.ts";

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
 * Refuses a write with 409 `too_late` when the time that its caller set is over, and remembers it under the caller's
 * `client_ref`, unless it comes to null, which is nothing. An `upkeep` write is not the caller's.
 */
export function remembering(
  { clock }: Pick<Context, "clock">,
  call: { readonly agent: Agent; readonly path: string; readonly input: object },
): WriteStep | null {
  const { agent, path } = call;
  const { client_ref, not_after } = marksOf(call.input);
  if (client_ref === undefined && not_after === undefined) return null;
  return (next) => (body, kind) =>
    next(async (tx) => {
      if (kind === "upkeep") return body(tx);
      refusePast({ clock }, { not_after });
      const before = tx.entries.length;
      const result = await body(tx);
      if (client_ref === undefined || result === null) return result;
      const entry = tx.entries[before];
      const made = { kind: entry?.kind ?? null, item: entry?.ref ?? idOf(result) };
      const own = { agent: agent.id, client_ref, path, mark_sha256: markOfCall(call) };
      await tx.together(rememberWrite, { ...own, ...made, created_at: clock.now() });
      return result;
    }, kind);
}

/** The id of a row, when a write resolves to one. */
function idOf(result: unknown): string | null {
  const id: unknown = Object(result).id;
  return typeof id === "number" ? String(id) : null;
}
