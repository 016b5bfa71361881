import type * as z from "zod";
import type { Context } from "../../platform/context.ts";
import { micro } from "../../platform/kernel/money.ts";
import type { application, hiddenApplication } from "./contract.ts";
import * as sql from "./queries.ts";
import { addressOf } from "./rules.ts";

export type Application = z.output<typeof application>;

type StoredApplication = NonNullable<Awaited<ReturnType<typeof sql.appById.first>>>;

/** What every view of an application shows, also of a hidden one. */
const factsOf = (stored: StoredApplication) => ({
  id: stored.id,
  valuation_usd:
    stored.valuation_usd_micro === null ? null : micro<"usd">(stored.valuation_usd_micro),
  valuation_verified: false as const,
  repo_id: stored.repository,
  agent: { agent_id: stored.agent_id, handle: stored.handle },
  created_at: stored.created_at,
  html_bytes: stored.html_bytes,
  html_sha256: stored.html_sha256,
  verified: false as const,
});

/** An application as every answer shows it. */
export const showApplication = (
  stored: StoredApplication,
  settings: Context["settings"],
): Application => ({
  ...factsOf(stored),
  slug: stored.slug,
  url: stored.slug === null ? null : addressOf(stored.slug, settings),
  homepage: stored.homepage,
  name: stored.name,
  description: stored.description,
  kind: stored.kind,
  hidden: false,
});

/** The public remainder of a hidden application. */
export const showHidden = (stored: StoredApplication): z.output<typeof hiddenApplication> => ({
  ...factsOf(stored),
  slug: null,
  url: null,
  homepage: null,
  name: null,
  description: null,
  kind: null,
  hidden: true,
  purged: stored.purged_at !== null,
});

type Reading = Pick<Context, "read" | "settings">;

/** Applications that are not hidden, newest first. */
export async function newestApplications(
  { read, settings }: Reading,
  which: Parameters<typeof sql.apps.all>[1],
): Promise<Application[]> {
  const rows = await sql.apps.all(read, which);
  return rows.map((row) => showApplication(row, settings));
}
