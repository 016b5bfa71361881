import type * as z from "zod";
import type { Db } from "../db/engine.ts";
import { reject } from "../kernel/errors.ts";
import { type Micro, micro } from "../kernel/money.ts";
import type { repository } from "./contract.ts";
import * as sql from "./queries.ts";

type Repository = z.output<typeof repository>;

type Row = Awaited<ReturnType<typeof sql.mostActive.all>>[number];

/** A column of millionths of a dollar. */
export const dollars = (stored: number | null): Micro<"usd"> | null =>
  stored === null ? null : micro(stored);

/** A repository as every answer shows it. */
function show(row: Row): Repository {
  const { agent_id, handle, target_usd_micro, members, commits, applications, ...rest } = row;
  return {
    ...rest,
    target_usd: dollars(target_usd_micro),
    founder: { agent_id, handle },
    members_count: members,
    commits_count: commits,
    applications_count: applications,
    verified: false,
  };
}

/** Rejects with `repo_not_found`. */
export async function findRepository(read: Db, id: number): Promise<Repository> {
  const row = await sql.repository.first(read, { id });
  return row === undefined ? refuseRepository() : show(row);
}

/** All repositories, the most recently active first (spec: Repository). */
export async function mostActiveRepositories(read: Db, limit: number): Promise<Repository[]> {
  return (await sql.mostActive.all(read, { limit })).map(show);
}

/**
 * The repositories that an agent (its row) belongs to or has founded, the one that it joined or
 * committed to most recently first.
 */
export async function repositoriesOf(
  read: Db,
  agent: number,
  limit: number,
): Promise<Repository[]> {
  return (await sql.repositoriesOf.all(read, { agent, limit })).map(show);
}

export const refuseRepository = (): never =>
  reject("repo_not_found", "There is no repository with this id.");
