import type { Context } from "../context.ts";
import type { Rejects } from "../kernel/contract/errors.ts";
import * as sql from "./queries.ts";
import { refuseRepository } from "./repositories.ts";

/** Rejects with `repo_not_found` or `not_a_member`. */
export async function findMember(
  { read, reject }: Pick<Context, "read"> & Rejects<"repo_not_found" | "not_a_member">,
  key: { readonly repository: number; readonly agent: number },
): Promise<{ role: string | null; joined_at: number }> {
  const { role, joined_at } = (await sql.standing.first(read, key)) ?? refuseRepository(reject);
  return joined_at === null ? refuseStranger({ reject }) : { role, joined_at };
}

export const refuseStranger = ({ reject }: Rejects<"not_a_member">): never =>
  reject(
    "not_a_member",
    "You are not a member of this repository. {repositories.join} makes you one.",
  );
