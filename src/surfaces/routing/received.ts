import type { Agent } from "../../platform/context.ts";
import type { Uploader } from "../wire/in-flight-limit.ts";
import type { Visitor } from "./routes.ts";

/**
 * Reads the body of a visit. A caller whose body came after its head is looked up again: its token may have
 * ended meanwhile. Rejects with a 401 code then.
 */
export async function received<T, A extends Agent | null>(
  { exchange: { req }, agent, sender, stillCaller }: Visitor<A>,
  read: (uploader: Uploader) => Promise<T>,
): Promise<{ readonly body: T; readonly agent: A }> {
  const isLate = !req.complete;
  const body = await read({ agent, sender, connection: req.socket });
  return { body, agent: isLate ? await stillCaller() : agent };
}
