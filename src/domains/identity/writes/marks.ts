import { sql } from "kysely";
import type { Context } from "../../../platform/context.ts";
import type { Tx } from "../../../platform/db/engine.ts";
import { prepared } from "../../../platform/db/prepared.ts";
import { grouped } from "../../../platform/db/rows.ts";
import { fromHex } from "../../../platform/kernel/bytes.ts";
import { actInput } from "../../../platform/kernel/contract/act-input.ts";
import { REPEATED_DAYS } from "../../../platform/kernel/contract/retry-fields.ts";
import { DAY_S, MINUTE_S, type Seconds } from "../../../platform/kernel/time.ts";
import { sha256Hex } from "../../../platform/ledger/sha256.ts";

/** For so long the same write with the same `client_ref` is answered as the first one was. */
export const MARK_LIVES_S = REPEATED_DAYS * DAY_S;

/** A write that has no answer after so long was cut off; its mark may be taken again. */
export const MARK_WRITES_S = MINUTE_S;

/** Old marks that one write deletes. */
const FORGOTTEN_MAX = 100;

/** A write of an agent, as its caller sent it. */
export interface MarkedCall {
  readonly agent: { readonly id: number };
  readonly path: string;
  readonly input: object;
}

/** Fields that may differ between a write and its repetition. */
const NO_CONTENT: ReadonlySet<string> = new Set(["not_after", "dry_run", ...Object.keys(actInput)]);

/** The hash of all that makes a write the same write. */
export function markOfCall({ agent, path, input }: MarkedCall): Uint8Array {
  const content = Object.entries(input)
    .filter(([name]) => !NO_CONTENT.has(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const print = (_: string, value: unknown) => (typeof value === "bigint" ? `${value}` : value);
  return fromHex(sha256Hex(JSON.stringify([agent.id, path, content], print)));
}

/** The hash of a write: its agent, operation, `client_ref` and content. */
interface Mark {
  readonly mark_sha256: Uint8Array;
  readonly agent: number;
  readonly taken_at: Seconds;
}

/** A mark, and the JSON text that answers for it, if its write has ended. */
export const markOf = prepared((db, p: { mark_sha256: Uint8Array }) =>
  db
    .selectFrom("write_mark")
    .select(["taken_at", "answer"])
    .where("mark_sha256", "=", p.mark_sha256),
);

/** Changes no row when another write has the mark. */
const takeMark = prepared((db, p: Mark & { cut_off: Seconds; old: Seconds }) =>
  db
    .insertInto("write_mark")
    .values({ mark_sha256: p.mark_sha256, agent: p.agent, taken_at: p.taken_at, answer: null })
    .onConflict((conflict) =>
      conflict
        .column("mark_sha256")
        .doUpdateSet({ taken_at: p.taken_at, answer: null })
        .where((row) =>
          row.or([
            row("write_mark.taken_at", "<", p.old),
            row.and([
              row("write_mark.answer", "is", null),
              row("write_mark.taken_at", "<", p.cut_off),
            ]),
          ]),
        ),
    ),
);

const forgetOld = prepared((db, p: { old: Seconds; limit: number }) =>
  db
    .deleteFrom("write_mark")
    .where("mark_sha256", "in", (old) =>
      old
        .selectFrom("write_mark")
        .select("mark_sha256")
        .where("taken_at", "<", p.old)
        .orderBy("taken_at")
        .limit(p.limit),
    ),
);

const answerMark = prepared((db, p: { mark_sha256: Uint8Array; answer: string }) =>
  db.updateTable("write_mark").set({ answer: p.answer }).where("mark_sha256", "=", p.mark_sha256),
);

/** The answers of an agent that repeat a text, here in the spelling of JSON, are lost from then on. */
export const loseAnswers = async (
  tx: Tx,
  { agent_id, text }: { readonly agent_id: string | undefined; readonly text: string },
): Promise<void> => {
  if (agent_id !== undefined && text !== "") await forgetAnswers.run(tx, { agent_id, text });
};

const forgetAnswers = prepared((db, p: { agent_id: string; text: string }) =>
  db
    .updateTable("write_mark")
    .set({ answer: null })
    .where("agent", "=", (of) =>
      of.selectFrom("agent").select("id").where("agent_id", "=", p.agent_id),
    )
    .where(sql<boolean>`replace(answer, ${p.text}, '') <> answer`),
);

const dropMark = prepared((db, p: { mark_sha256: Uint8Array }) =>
  db.deleteFrom("write_mark").where("mark_sha256", "=", p.mark_sha256).where("answer", "is", null),
);

const byMark = (a: { readonly mark_sha256: Uint8Array }, b: { readonly mark_sha256: Uint8Array }) =>
  Buffer.compare(a.mark_sha256, b.mark_sha256);

/** Takes marks before their writes: resolves to false for each one that another write has. */
export const takeMarks = grouped("write_mark/take", async (tx, marks: readonly Mark[]) => {
  const taken = new Map<Mark, number>();
  const [first] = marks;
  if (first !== undefined)
    await forgetOld.run(tx, { old: first.taken_at - MARK_LIVES_S, limit: FORGOTTEN_MAX });
  for (const mark of [...marks].sort(byMark)) {
    const old = mark.taken_at - MARK_LIVES_S;
    taken.set(
      mark,
      await takeMark.run(tx, { ...mark, cut_off: mark.taken_at - MARK_WRITES_S, old }),
    );
  }
  return marks.map((mark) => taken.get(mark) === 1);
});

/** How a write has ended: with the answer of its mark, or null where it was refused. */
interface Ended {
  readonly mark_sha256: Uint8Array;
  readonly answer: string | null;
}

export const endMarks = grouped("write_mark/end", async (tx, ended: readonly Ended[]) => {
  for (const { mark_sha256, answer } of [...ended].sort(byMark))
    if (answer === null) await dropMark.run(tx, { mark_sha256 });
    else await answerMark.run(tx, { mark_sha256, answer });
  return ended.map(() => null);
});

const underWay = prepared((db, p: { since: Seconds }) =>
  db
    .selectFrom("write_mark")
    .select("mark_sha256")
    .where("answer", "is", null)
    .where("taken_at", ">=", p.since)
    .limit(1),
);

const ageMarks = prepared((db, p: { since: Seconds; age_s: number }) =>
  db
    .updateTable("write_mark")
    .set((row) => ({ taken_at: row("taken_at", "-", p.age_s) }))
    .where("answer", "is", null)
    .where("taken_at", ">=", p.since),
);

/**
 * For a process beside which no other one writes: the writes that earlier ones have begun are cut off, and nobody
 * waits a minute for them. Their marks are made as old as that.
 */
export async function cutOffMarks({
  read,
  write,
  clock,
}: Pick<Context, "read" | "write" | "clock">): Promise<void> {
  const since = clock.now() - MARK_WRITES_S;
  if ((await underWay.first(read, { since })) === undefined) return;
  await write((tx) => ageMarks.run(tx, { since, age_s: MARK_WRITES_S + 1 }));
}
