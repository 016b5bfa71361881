/** A rule forbids an entry that no agent has asked for, or by a clause without a code: a fault of the service. */
export class Forbidden extends Error {}

/** Pieces of work of which a rule may forbid one, and the others are done all the same. */
export interface Apart {
  /** Resolves to undefined where a rule has forbidden it. */
  attempt<T>(work: () => Promise<T>): Promise<T | undefined>;
  /** Ends with what was forbidden first, so that its job fails and is told of. */
  end(): void;
}

export function apart(): Apart {
  const forbidden: Forbidden[] = [];
  return {
    async attempt(work) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof Forbidden)) throw error;
        forbidden.push(error);
        return undefined;
      }
    },
    end() {
      for (const first of forbidden) throw first;
    },
  };
}
