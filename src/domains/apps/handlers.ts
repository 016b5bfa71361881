import type { Agent, Context } from "../../platform/context.ts";
import type { Rejects } from "../../platform/kernel/contract/errors.ts";
import { base32 } from "../../platform/kernel/contract/ids.ts";
import type { Handlers } from "../../platform/kernel/contract/operation.ts";
import { refuse } from "../../platform/ledger/decide.ts";
import { enactSurely } from "../../platform/ledger/rows/enact.ts";
import { sha256Hex } from "../../platform/ledger/sha256.ts";
import { grantReward } from "../coin/rewards.ts";
import { countNamed } from "../counters/counts.ts";
import { newestApplications, showApplication, showHidden } from "./applications.ts";
import { applicationCursor, type apps } from "./contract.ts";
import { refuseUnknown } from "./hiding.ts";
import { scriptsOf } from "./inline-scripts.ts";
import { stranger } from "./ledger.ts";
import * as sql from "./queries.ts";
import { rows } from "./rows.ts";
import { SLUG_RANDOM_LENGTH, slugOf } from "./rules.ts";

export const appsHandlers: Handlers<typeof apps, Context, Agent> = {
  async create(context, sent) {
    const { write, clock, settings, agent } = context;
    const { repo_id, html, name, description } = sent;
    const { kind = null, homepage = null, valuation_usd = null } = sent;
    await refuseStranger(context, repo_id, agent);
    const slug = html === undefined ? null : await freeSlug(context, name);
    const page = html === undefined ? null : Buffer.from(html);
    const html_sha256 = html === undefined ? null : sha256Hex(html);
    const valuation_usd_micro = valuation_usd === null ? null : Number(valuation_usd);
    const given = { slug, name, description, kind, homepage, valuation_usd_micro };
    const stored = { ...given, html_bytes: page?.length ?? null, html_sha256 };
    const scripts = reportOf(page, html_sha256);

    return write(
      async (tx) => {
        await refuseStranger({ ...context, read: tx }, repo_id, agent); // It may have left meanwhile.
        const created_at = clock.now();
        const { id } = await enactSurely(tx, rows.app, { agent, repo_id, ...stored }, created_at);
        if (page !== null) await sql.insertPage.run(tx, { app: id, html: page });
        const act = { agent, why: "app", source: `app/${id}`, isFirst: true } as const;
        const reward = await grantReward(tx, context, act);
        const { agent_id, handle } = agent;
        const own = { id, repository: repo_id ?? null, created_at, agent_id, handle };
        const app = showApplication({ ...stored, ...own, ...SHOWN }, settings);
        return { id, slug, url: app.url, app: { ...app, scripts }, reward };
      },
      page === null ? "usual" : "large",
    );
  },

  async list(context, { limit, cursor }) {
    const [found, all] = await Promise.all([
      newestApplications(context, { before_id: cursor?.id, limit: limit + 1 }),
      countNamed(context.read, "app"),
    ]);
    return { ...applicationCursor.list("applications", found, limit), declared_value_usd: all.usd };
  },

  async get(context, { id }) {
    const { read, settings } = context;
    const stored = (await sql.appById.first(read, { id })) ?? refuseUnknown(context);
    if (stored.hidden_at !== null) return { app: { ...showHidden(stored), scripts: null } };
    const page = await sql.pageOf.first(read, { app: stored.id });
    const scripts = reportOf(page?.html ?? null, stored.html_sha256);
    return { app: { ...showApplication(stored, settings), scripts } };
  },
};

const SHOWN = { hidden_at: null, purged_at: null };

const reportOf = (html: Uint8Array | null, html_sha256: string | null) =>
  html === null || html_sha256 === null ? null : scriptsOf({ html, html_sha256 }).report;

/** An application is added to a repository by its members only. */
async function refuseStranger(
  { read, reject }: Pick<Context, "read"> & Rejects<"repo_not_found" | "not_a_member">,
  repo_id: number | undefined,
  agent: Agent,
): Promise<void> {
  if (repo_id === undefined) return;
  if (await sql.membership.first(read, { repository: repo_id, agent: agent.id })) return;
  if ((await sql.repositoryById.first(read, { id: repo_id })) === undefined)
    return reject("repo_not_found", "There is no repository with this id.");
  return refuse({ reject }, stranger);
}

/** Two applications of one name rarely draw the same 30 bits; the column is unique, too. */
async function freeSlug(
  { read, random }: Pick<Context, "read" | "random">,
  name: string,
): Promise<string> {
  for (;;) {
    const slug = slugOf(name, base32(random, SLUG_RANDOM_LENGTH));
    if ((await sql.appBySlug.first(read, { slug })) === undefined) return slug;
  }
}
