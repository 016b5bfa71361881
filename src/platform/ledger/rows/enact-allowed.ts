import type { Tx } from "../../db/engine.ts";
import type { EntryKind } from "../../kernel/contract/entry-kind.ts";
import type { Problem, Rejects } from "../../kernel/contract/errors.ts";
import type { Seconds } from "../../kernel/time.ts";
import { type CodesOf, decide, type Ruled } from "../decide.ts";
import type { Refuses } from "../transition.ts";
import type { Effect, KindRows } from "./effects.ts";
import { type Enacted, type Prepared, prepare } from "./enact.ts";
import type { Given } from "./given.ts";

/** An entry that somebody wants to write, and what its rule reads: `before` of what the write has locked. */
interface Wanted<K extends EntryKind, E, Before, R extends Refuses> {
  readonly before: Before;
  readonly given: Given<K, E>;
  readonly now: Seconds;
  /** The count in which its name ends, where its kind counts. */
  readonly n?: number | undefined;
  readonly shows?: { readonly [Name in keyof R]?: readonly Problem[] | undefined };
}

type Both<K extends EntryKind, E extends readonly Effect[], Before, R extends Refuses> = readonly [
  Ruled<K, Before, R>,
  KindRows<K, E>,
];

/** Asks the rule of a kind, and writes its entry and all that it does to rows. Ends with the refusal of the rule. */
export async function enactAllowed<
  K extends EntryKind,
  E extends readonly Effect[],
  Before,
  R extends Refuses,
>(
  asker: Rejects<CodesOf<R>>,
  tx: Tx,
  both: Both<K, E, Before, R>,
  wanted: Wanted<NoInfer<K>, NoInfer<E>, NoInfer<Before>, NoInfer<R>>,
): Promise<Enacted> {
  const made = await demandAllowed(asker, both, wanted).enact(tx);
  if (wanted.n !== undefined && made.n !== wanted.n)
    throw new Error(`${both[0].kind.kind} was counted otherwise.`);
  return made;
}

/** Ends with the refusal that the entry would get: a look ahead of the write, which spares it. */
export function demandAllowed<
  K extends EntryKind,
  E extends readonly Effect[],
  Before,
  R extends Refuses,
>(
  asker: Rejects<CodesOf<R>>,
  [of, rows]: Both<K, E, Before, R>,
  {
    given,
    now,
    before,
    n,
    shows = {},
  }: Wanted<NoInfer<K>, NoInfer<E>, NoInfer<Before>, NoInfer<R>>,
): Prepared<K> {
  const entry = prepare(rows, given, now);
  decide(asker, of, before, { body: entry.body, now, n, shows });
  return entry;
}
