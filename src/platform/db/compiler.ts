import { type Dialect, type Driver, Kysely, type QueryCompiler } from "kysely";
import type { Tables } from "./tables.ts";

const refuse = (): never => {
  throw new TypeError("This Kysely compiles only; queries run through a Db.");
};

const driver: Driver = {
  init: async () => {},
  acquireConnection: refuse,
  beginTransaction: refuse,
  commitTransaction: refuse,
  rollbackTransaction: refuse,
  releaseConnection: refuse,
  destroy: async () => {},
};

/** A Kysely that turns queries into one engine's SQL and cannot execute them. */
export function compilerOf(
  dialect: Pick<Dialect, "createAdapter">,
  createQueryCompiler: () => QueryCompiler,
): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => dialect.createAdapter(),
      createDriver: () => driver,
      createIntrospector: refuse,
      createQueryCompiler,
    },
  });
}
