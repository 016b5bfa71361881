import type { Context } from "../../context.ts";
import { append } from "../append.ts";
import * as entries from "../entries.ts";
import { HEARTBEAT_AFTER_S } from "../ledger.ts";
import * as sql from "../queries.ts";

/** Writes a heartbeat when one is due; resolves to how many it wrote. */
export async function heartbeatWhenDue({
  read,
  write,
  clock,
}: Pick<Context, "read" | "write" | "clock">): Promise<number> {
  const isDue = (head: { last_id: number; last_at: number } | undefined) =>
    head !== undefined && head.last_id > 0 && clock.now() - head.last_at >= HEARTBEAT_AFTER_S;
  if (!isDue(await sql.ledgerHead.first(read, {}))) return 0;
  return write(async (tx) => {
    const head = await sql.ledgerHead.first(tx, {});
    if (head === undefined || !isDue(head)) return 0;
    append(tx, entries.heartbeat, { after_id: head.last_id });
    return 1;
  });
}
