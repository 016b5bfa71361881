import type * as z from "zod";
import type { Db } from "../../platform/db/engine.ts";
import { readRanges } from "../../platform/kernel/contract/cursor.ts";
import type { Rejects } from "../../platform/kernel/contract/errors.ts";
import { type Micro, micro } from "../../platform/kernel/money.ts";
import { refuse } from "../../platform/ledger/decide.ts";
import type { repository } from "./contract.ts";
import { noRepository } from "./ledger.ts";
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
    git_path: `/git/${row.id}.git`,
    verified: false,
  };
}

/** Where to look for a repository, within a write or outside. */
export type Finding = { readonly read: Db } & Rejects<"repo_not_found">;

/** Rejects with `repo_not_found`. */
export const findRepository = async ({ read, reject }: Finding, id: number): Promise<Repository> =>
  (await repositoryAt(read, id)) ?? refuse({ reject }, noRepository);

export async function repositoryAt(read: Db, id: number): Promise<Repository | undefined> {
  const row = await sql.repository.first(read, { id });
  return row && show(row);
}

/** Repositories behind a place, or all, the most recently active first (spec: Repository). */
export async function mostActiveRepositories(
  read: Db,
  place: { readonly last_activity_at: number; readonly id: number } | undefined,
  limit: number,
): Promise<Repository[]> {
  const ranges: readonly sql.ActivityRange[] =
    place === undefined
      ? [{}]
      : [{ at: place.last_activity_at, id: place.id }, { before: place.last_activity_at }];
  const rows = await readRanges(ranges, limit, (range) => sql.mostActive.all(read, range));
  return rows.map(show);
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
