import type * as z from "zod";
import type { Db } from "../../platform/db/engine.ts";
import type { Rejects } from "../../platform/kernel/contract/errors.ts";
import { micro } from "../../platform/kernel/money.ts";
import type { StoredContribution } from "../transfers/contributions.ts";
import type { treasury } from "./contract.ts";
import { verificationText } from "./menu.ts";
import * as sql from "./queries.ts";

type Contribution = z.output<typeof treasury.contribute.output>["contribution"];
type Reporter = Contribution["agent"];

/** A contribution as every answer shows it. */
export function showContribution(
  { usd_micro, proof, ...row }: StoredContribution,
  agent: Reporter,
): Contribution {
  return {
    ...row,
    usd: usd_micro === null ? null : micro(usd_micro),
    verification: {
      state: proof === null ? "declared" : "checked",
      proof,
      checked_at: proof === null ? null : row.created_at,
      text: verificationText(proof),
    },
    agent,
    verified: proof !== null,
  };
}

/** Newest first, with those that were superseded. */
export async function newestContributions(
  read: Db,
  which: { readonly limit: number; readonly before_id: number },
): Promise<Contribution[]> {
  return (await sql.newestContributions.all(read, which)).map(showRow);
}

type Row = Awaited<ReturnType<typeof sql.newestContributions.all>>[number];

const showRow = ({ agent_id, handle, ...row }: Row): Contribution =>
  showContribution(row, { agent_id, handle });

/** One of them. Rejects with `contribution_not_found`. */
export async function findContribution(
  { read, reject }: { readonly read: Db } & Rejects<"contribution_not_found">,
  id: number,
): Promise<Contribution> {
  const row = await sql.contributionById.first(read, { id });
  return row === undefined
    ? reject("contribution_not_found", "There is no contribution with this id.")
    : showRow(row);
}
