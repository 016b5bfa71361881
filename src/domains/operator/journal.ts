import type { Context } from "../../platform/context.ts";
import { insertNumbered, prepared } from "../../platform/db/prepared.ts";
import { startOf } from "../../platform/kernel/text.ts";
import { DAY_S, type Seconds } from "../../platform/kernel/time.ts";
import type { OperatorTables } from "./tables.ts";

const KEPT_S = 366 * DAY_S;
/** Old acts that one write forgets. */
const FORGOTTEN_MAX = 100;
const TEXT_MAX = 2_000;

/** An act that was done. */
export interface Done {
  readonly person: string;
  readonly via: "command" | "console";
  readonly act: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly result: string;
}

const insertAct = insertNumbered(
  "operator_act",
  (p: Omit<OperatorTables["operator_act"], "id">) => ({ ...p }),
);

const forgetOld = prepared((db, p: { old: Seconds; limit: number }) =>
  db
    .deleteFrom("operator_act")
    .where("id", "in", (old) =>
      old
        .selectFrom("operator_act")
        .select("id")
        .where("at", "<", p.old)
        .orderBy("at")
        .limit(p.limit),
    ),
);

/** Writes an act into the operator's journal. */
export async function noteAct(
  { write, clock }: Pick<Context, "write" | "clock">,
  { person, via, act, values, result }: Done,
): Promise<void> {
  const at = clock.now();
  const given = startOf(JSON.stringify(values), TEXT_MAX);
  await write(async (tx) => {
    await forgetOld.run(tx, { old: at - KEPT_S, limit: FORGOTTEN_MAX });
    await insertAct.first(tx, {
      at,
      person: startOf(person, TEXT_MAX),
      via,
      act,
      given,
      result: startOf(result, TEXT_MAX),
    });
  });
}

/** The newest first. */
export const journal = prepared(
  (db, p: { before: number; limit: number; act?: string | undefined }) =>
    db
      .selectFrom("operator_act")
      .select(["id", "at", "person", "via", "act", "given", "result"])
      .where("id", "<", p.before)
      .$if(p.act !== undefined, (all) => all.where("act", "=", p.act ?? ""))
      .orderBy("id", "desc")
      .limit(p.limit),
);
