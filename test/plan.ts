import type { Db } from "../src/platform/db/engine.ts";
import { statement } from "./statement.ts";

/** How SQLite answers what `ask` asks: its plan does not depend on what is stored. */
export async function planOf(read: Db, ask: (db: Db) => Promise<unknown>): Promise<string> {
  const plans: string[] = [];
  const explaining: Db = {
    ...read,
    async all(plan, values) {
      const steps = await read.all(statement(`explain query plan ${plan.sql}`), values);
      plans.push(JSON.stringify(steps));
      return [];
    },
  };
  await ask(explaining);
  return plans.join();
}
