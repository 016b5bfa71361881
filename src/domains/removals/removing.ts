import * as z from "zod";
import type { Context } from "../../platform/context.ts";
import type { Db, Tx } from "../../platform/db/engine.ts";
import { Rejection, type Rejects } from "../../platform/kernel/contract/errors.ts";
import { startOf } from "../../platform/kernel/text.ts";
import { decideChange, NOBODY } from "../../platform/ledger/decide.ts";
import { recordedBody } from "../../platform/ledger/entry-queries.ts";
import { enactSurely } from "../../platform/ledger/rows/enact.ts";
import { textErased, textHidden, textShown } from "./ledger.ts";
import * as sql from "./queries.ts";
import type { Change, Parts, Removable, TextsOf } from "./removable.ts";
import { rows } from "./rows.ts";

/** A text of an entry, in a record that knows its rows. */
export interface Removed {
  readonly of: Removable;
  readonly ref: string;
  readonly parts: Parts;
}

/** The operator's public words: a rule's id, a reason, both or none. */
interface Said {
  readonly rule?: string | undefined;
  readonly reason?: string | undefined;
}

type Writing = Pick<Context, "read" | "write" | "clock">;

/** The beginning of a text as an answer in JSON repeats it. */
interface Repeated {
  readonly agent_id: string | undefined;
  readonly text: string;
}

/** An agent's own write answers for its repetition: no such answer keeps a text that is erased. */
export interface LosesAnswers {
  loseAnswers(tx: Tx, repeated: Repeated): Promise<unknown>;
}

/** A refusal says which text it is about. */
const about = ({ of, ref }: Removed): Rejects<"invalid_state"> => ({
  reject(code, sentence) {
    throw new Rejection(code, `${of.kind.kind} ${ref}: ${sentence}`);
  },
});

/** How a text stands, as rules see it. */
async function removalOf(tx: Tx, { of, ref }: Removed) {
  const row = await sql.removal.first(tx, { kind: of.kind.kind, ref });
  return {
    n: row?.hidings ?? 0,
    isHidden: row?.hidden_at != null,
    isErased: row?.erased_at != null,
  };
}

/** The fields of an entry that name its text. */
const named = ({ of, ref }: Removed) => ({ of: of.kind.kind, of_ref: ref });

/**
 * Takes the texts of an entry out of their row, where nothing can show them, and keeps them for `showText`.
 * False when they are hidden already. Rejects with `invalid_state` for what is not there.
 */
export async function hideText(
  { read, write, clock }: Writing,
  removed: Removed,
  said: Said,
): Promise<boolean> {
  const { of, ref, parts } = removed;
  const kind = of.kind.kind;
  const to = standIns(of, (await of.find(read, parts)) ?? {});
  return around(read, removed, to, (follow) =>
    write(async (tx) => {
      const now = clock.now();
      const removal = await removalOf(tx, removed);
      const texts = await of.find(tx, parts);
      const before = { ...removal, isThere: texts !== undefined };
      const hiding = { body: named(removed), now, n: removal.n + 1, same: "hidden" } as const;
      if (!decideChange(about(removed), textHidden, before, hiding)) return false;
      if (texts === undefined) throw new Error("A text is hidden that is not there.");
      for (const [field, body] of Object.entries(texts))
        if (body !== null && body !== of.texts[field])
          await sql.insertText.run(tx, { kind, ref, field, body });
      await replace(tx, removed, { from: texts, to: standIns(of, texts), at: now });
      await follow(tx);
      await enactSurely(tx, rows.textHidden, await givenOf(tx, removed, said), now);
      return true;
    }),
  );
}

/** Undoes that. False when they are not hidden, or erased. */
export async function showText(
  { read, write, clock }: Writing,
  removed: Removed,
  said: Said,
): Promise<boolean> {
  const { of, ref, parts } = removed;
  const kind = of.kind.kind;
  const keptIn = async (db: Db) =>
    Object.fromEntries(
      (await sql.textsOf.all(db, { kind, ref })).map(({ field, body }) => [field, body]),
    );
  const to = { ...(await of.find(read, parts)), ...(await keptIn(read)) };
  return around(read, removed, to, (follow) =>
    write(async (tx) => {
      const now = clock.now();
      const removal = await removalOf(tx, removed);
      const showing = { body: named(removed), now, n: removal.n, same: "shown" } as const;
      if (!decideChange(NOBODY, textShown, removal, showing)) return false;
      const texts = await of.find(tx, parts);
      if (texts !== undefined) {
        const own = await keptIn(tx);
        await replace(tx, removed, { from: texts, to: { ...texts, ...own }, at: now });
        await follow(tx);
      }
      await sql.deleteTexts.run(tx, { kind, ref });
      await enactSurely(tx, rows.textShown, await givenOf(tx, removed, said), now);
      return true;
    }),
  );
}

/** Runs a write that replaces texts, with what brings other rows to it. */
const around = <T>(
  read: Db,
  { of, parts }: Removed,
  to: TextsOf,
  write: (follow: (tx: Tx) => Promise<unknown>) => Promise<T>,
): Promise<T> =>
  of.around === undefined ? write(async () => {}) : of.around(read, { parts, to }, write);

/**
 * Deletes the texts of an entry that is hidden, for good. False when they were erased before. Rejects with
 * `invalid_state` for what is not hidden, not there, or still needed.
 */
export function eraseText(
  { write, clock, loseAnswers }: Writing & LosesAnswers,
  removed: Removed,
): Promise<boolean> {
  const { of, ref, parts } = removed;
  const kind = of.kind.kind;
  return write(async (tx) => {
    const now = clock.now();
    const removal = await removalOf(tx, removed);
    const isHidden = of.hidesItself ? await of.isHidden(tx, parts) : removal.isHidden;
    const erasing = { body: named(removed), now, same: "again" } as const;
    if (!decideChange(about(removed), textErased, { ...removal, isHidden }, erasing)) return false;
    const needed = (await of.keeps?.(tx, parts)) ?? null;
    if (needed !== null) throw new Rejection("invalid_state", needed);
    if (of.hidesItself) {
      const texts = (await of.find(tx, parts)) ?? {};
      for (const body of Object.values(texts))
        if (body !== null) await loseAnswers(tx, await repeatedIn(tx, removed, body));
      await replace(tx, removed, { from: texts, to: standIns(of, texts), at: now });
    }
    for (const { body } of await sql.textsOf.all(tx, { kind, ref }))
      await loseAnswers(tx, await repeatedIn(tx, removed, body));
    await sql.deleteTexts.run(tx, { kind, ref });
    await of.end?.(tx, parts, now);
    await enactSurely(tx, rows.textErased, named(removed), now);
    return true;
  });
}

/** How much of a text an answer has to repeat to be lost. */
const REPEATED_LENGTH = 40;

/** The beginning of a text, in the spelling of JSON, and its author. */
async function repeatedIn(tx: Tx, removed: Removed, body: string): Promise<Repeated> {
  const agent_id = await authorOf(tx, removed);
  return { agent_id, text: JSON.stringify(startOf(body, REPEATED_LENGTH)).slice(1, -1) };
}

/** A column without a text gets none. */
const standIns = ({ texts }: Removable, from: TextsOf): TextsOf =>
  Object.fromEntries(
    Object.entries(from).map(([field, body]) => [
      field,
      body === null ? null : (texts[field] ?? null),
    ]),
  );

async function replace(
  tx: Tx,
  { of, parts }: Removed,
  change: Omit<Change, "parts">,
): Promise<void> {
  await of.put(tx, { parts, ...change });
  await of.follow?.(tx, { parts, ...change });
}

/** What an entry about a text says. */
const givenOf = async (tx: Tx, removed: Removed, { rule, reason }: Said) => ({
  ...named(removed),
  agent: await authorOf(tx, removed),
  rule,
  reason,
});

const author = z.object({
  agent: z.string().optional(),
  from: z.string().optional(),
});

/** The agent that wrote a text, as its entry or its record names it. */
async function authorOf(tx: Tx, { of, ref, parts }: Removed): Promise<string | undefined> {
  if (of.authorOf !== undefined) return of.authorOf(tx, parts);
  const entry = await recordedBody(tx, { kind: of.kind.kind, ref });
  const { agent, from } = author.parse(JSON.parse(entry?.body ?? "{}"));
  return agent ?? from;
}
