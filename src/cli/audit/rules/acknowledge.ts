import * as z from "zod";
import type { Context } from "../../../platform/context.ts";
import { append } from "../../../platform/ledger/append.ts";
import { breachAcknowledged } from "../../../platform/ledger/entries.ts";
import { recordedBody } from "../../../platform/ledger/entry-queries.ts";
import { ledgerHead } from "../../../platform/ledger/queries.ts";
import { command, type Environment, type Outcome } from "../../command/command.ts";
import { REFUSED, Stop } from "../../command/stop.ts";

/** An entry that breaks a rule, and why it was written. */
interface Acknowledged {
  /** The entry's id. */
  readonly of: number;
  /** Public, and for ever. */
  readonly reason: string;
}

/**
 * Seals that the operator knows of a breach: its own service raises no alarm for it any more. Everybody's
 * audit still prints it. The database is the one that the environment names.
 */
export async function acknowledgeBreach(
  acknowledged: Acknowledged,
  environment: Environment,
): Promise<Outcome> {
  // The whole service, which an audit does without.
  const { runOnService } = await import("../../command/open-service.ts");
  const { chooseService } = await import("../../command/which-service.ts");
  const act = command({
    name: "audit",
    summary: "",
    input: z.object({}),
    opens: "service",
    exits: {},
    run: ({ service: { context } }) => seal(context, acknowledged),
  });
  return runOnService(act, { values: {}, ...chooseService({}, environment) });
}

async function seal(
  { read, write }: Pick<Context, "read" | "write">,
  { of, reason }: Acknowledged,
): Promise<Outcome> {
  const head = await ledgerHead.first(read, {});
  if (head === undefined || of > head.last_id)
    throw new Stop(REFUSED, `There is no entry ${of}: the last one is ${head?.last_id ?? 0}.`);
  const known = await recordedBody(read, { kind: breachAcknowledged.kind, ref: `${of}` });
  if (known !== undefined) throw new Stop(REFUSED, `Entry ${of} is acknowledged already.`);
  await write(async (tx) => append(tx, breachAcknowledged, { of, reason }));
  const text = `It is in the ledger for ever that you know of the breach by entry ${of}.`;
  return { text, facts: { acknowledged: of, reason } };
}
