/** Entries whose kinds are looked up at once; after more of them each kind may be among them. */
const KINDS_LOOKED_UP_MAX = 256;

/** The kinds of entries after one id and up to another, in ledger order; at most so many. */
export type KindsWithin = (range: {
  readonly after_id: number;
  readonly to_id: number;
  readonly limit: number;
}) => Promise<readonly { readonly ledger_id: number; readonly kind: string }[]>;

/** What kinds the newest entries have, so that an entry wakes no reader that asks for other kinds. */
export interface NewestKinds {
  /** Learns of the entries up to `last_id`. */
  learn(last_id: number): Promise<void>;
  /** Whether there may be an entry of one of these kinds after `after_id`. */
  mayHave(kinds: readonly string[], after_id: number): boolean;
}

export function newestKinds(kindsWithin: KindsWithin): NewestKinds {
  /** Of entries after this one the kinds are known. */
  let from_id = 0;
  let known_id = 0;
  const newest = new Map<string, number>();

  function forget(last_id: number): void {
    from_id = last_id;
    known_id = last_id;
    newest.clear();
  }

  return {
    async learn(last_id) {
      if (last_id <= known_id) return;
      const range = { after_id: known_id, to_id: last_id, limit: KINDS_LOOKED_UP_MAX };
      const found = await kindsWithin(range);
      if (found.length === KINDS_LOOKED_UP_MAX) return forget(last_id);
      for (const { ledger_id, kind } of found) newest.set(kind, ledger_id);
      known_id = last_id;
    },
    mayHave: (kinds, after_id) =>
      after_id < from_id || kinds.some((kind) => (newest.get(kind) ?? 0) > after_id),
  };
}
