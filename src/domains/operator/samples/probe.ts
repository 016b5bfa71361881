import type { Context } from "../../../platform/context.ts";
import * as sql from "./sample-queries.ts";

/** No span of the console has this step, so nobody reads what a probe stores. */
const PROBE_STEP_S = 0;

/** More than a page of a table has free: where a file cannot grow, a probe finds it out as a post does. */
const FILLER_BYTES = 6_144;

/**
 * Stores as much as a post does and deletes it again, in one transaction. Rejects like any write. A random name
 * keeps two nodes out of each other's way.
 */
export async function probeStorage({ write, random }: Pick<Context, "write" | "random">) {
  const figures = Buffer.from(random(FILLER_BYTES)).toString("base64");
  const at = Buffer.from(random(4)).readUInt32LE();
  await write(async (tx) => {
    await sql.addSample.run(tx, { step_s: PROBE_STEP_S, at, figures });
    await sql.forgetSamples.run(tx, { step_s: PROBE_STEP_S, through_at: at });
  }, "upkeep");
}
