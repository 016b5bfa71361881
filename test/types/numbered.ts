import { insertNumbered } from "../../src/platform/db/prepared.ts";

interface Named {
  readonly agent_id: string;
  readonly handle: string | null;
}

/** Lines that must not compile: `tsc` says so when one of them has no error any more. */
export function refused(): void {
  insertNumbered("agent", (p: Named) => ({ ...p, created_at: 1 }), ["handle"]);

  // @ts-expect-error Its key is a text, which no engine draws.
  insertNumbered("topic", (p: Named) => p);
  // @ts-expect-error Three rows have three numbers.
  insertNumbered("agent", (p: Named) => [p, p, p].map((each) => ({ ...each, created_at: 1 })));
  // @ts-expect-error A column is missing.
  insertNumbered("agent", (p: Named) => p);
  // @ts-expect-error Another table has this column.
  insertNumbered("agent", (p: Named) => ({ ...p, created_at: 1 }), ["topic"]);
}
