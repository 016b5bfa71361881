import type * as z from "zod";
import type { application, hiddenApplication } from "../../../apps/contract.ts";
import type { contracts } from "../../../contracts.ts";
import type { repository } from "../../../repositories/contract.ts";
import {
  APPLICATIONS_SHOWN_MAX,
  COMMITS_SHOWN_MAX,
  MEMBERS_SHOWN_MAX,
} from "../../../repositories/rules.ts";
import { id, unverified } from "./board.ts";
import { askedLimit, countOf, nextPlace, ownId, page, part } from "./compare/list.ts";
import * as rule from "./compare/rule.ts";
import {
  agent,
  amount,
  byId,
  derived,
  type Facts,
  hashed,
  is,
  known,
  ofRow,
} from "./compare/rule.ts";
import { type Ledger, newest } from "./ledger.ts";
import { ranked, secondIn } from "./reading/clock.ts";

type Out<Operation extends { output: z.ZodObject }> = z.output<Operation["output"]>;

const repositoryRule = ofRow<z.output<typeof repository>>("repository", byId("repo"), {
  id,
  name: hashed("name"),
  mission: hashed("mission"),
  kind: hashed("kind"),
  target_usd: amount("target_usd_micro"),
  homepage: hashed("homepage"),
  founder: agent("founder"),
  created_at: is("created_at"),
  last_activity_at: is("last_activity_at"),
  members_count: is("members"),
  commits_count: is("commits"),
  applications_count: is("applications"),
  git_path: known(({ of }) => `/git/${of["id"]}.git`),
  verified: unverified,
});

const key = (item: rule.Shown): string => `${item["id"]}`;

const allRepositories = ({ ledger }: Facts): ReadonlyMap<string, number> =>
  new Map(
    ledger
      .ids("repository")
      .map((n) => [`${n}`, secondIn(ledger.row("repository", `repo ${n}`), "last_activity_at")]),
  );

/** Whether there is more than a list shows, of as many as may be listed. */
const moreThan = (name: string, all: (facts: Facts) => number): rule.Rule<boolean> =>
  known((facts) => {
    const list = facts.of[name];
    return Array.isArray(list) && all(facts) > list.length;
  });

export const repositoryList = rule.object<Out<typeof contracts.repositories.list>>({
  repositories: ranked({ key, each: repositoryRule, limit: askedLimit, ranks: allRepositories }),
  count: countOf("repositories"),
  more: moreThan("repositories", ({ ledger }) => ledger.ids("repository").length),
  next: nextPlace,
  total: known(({ ledger }) => ledger.ids("repository").length),
});

/** The memberships of a repository or of an agent, by the other one. */
function membershipsBy(ledger: Ledger, column: "repository" | "agent", value: unknown) {
  const names = ledger.names("repository_member");
  return ledger.idsBy("repository_member", column, value).map((place) => {
    const name = names[place] ?? "";
    const [, repo = "", member = ""] = name.split(" ");
    return { repo, member, row: ledger.row("repository_member", name) };
  });
}

const membersNow = ({ ledger, asked }: Facts): ReadonlyMap<string, number> =>
  new Map(
    membershipsBy(ledger, "repository", asked["id"])
      .filter(({ row }) => row?.["left_at"] === null)
      .map(({ member, row }) => [member, secondIn(row, "joined_at")]),
  );

/** Those that an agent belongs to or has founded, by the second in which it did something there. */
const repositoriesOf = (ledger: Ledger, agent_id: unknown): ReadonlyMap<string, number> =>
  new Map(
    membershipsBy(ledger, "agent", agent_id)
      .filter(
        ({ repo, row }) =>
          row?.["left_at"] === null ||
          ledger.row("repository", `repo ${repo}`)?.["founder"] === agent_id,
      )
      .map(({ repo, row }) => [repo, secondIn(row, "last_activity_at")]),
  );

/** The repositories of an agent's page. */
export const ownRepositories = (agentOf: (facts: Facts) => unknown, limit: number) => ({
  repositories: ranked({
    key,
    each: repositoryRule,
    limit: () => limit,
    ranks: (facts) => repositoriesOf(facts.ledger, agentOf(facts)),
  }),
  repositories_more: moreThan(
    "repositories",
    (facts) => repositoriesOf(facts.ledger, agentOf(facts)).size,
  ),
});

type RepositoryPage = Out<typeof contracts.repositories.get>;

const member = ofRow<RepositoryPage["members"][number]>(
  "repository_member",
  (shown, { asked }) => `repo ${asked["id"]} ${shown["agent_id"]}`,
  {
    agent_id: derived(({ of }) => `${of["agent_id"]}`),
    handle: derived(({ of, ledger }) => ledger.handleOf(of["agent_id"])),
    role: hashed("role"),
    joined_at: is("joined_at"),
    verified: unverified,
  },
);

export const commitRule = ofRow<RepositoryPage["commits"][number]>(
  "repository_commit",
  byId("commit"),
  {
    id,
    repo_id: is("repository"),
    agent: agent("agent"),
    summary: hashed("summary"),
    artifact: hashed("artifact"),
    hash: is("hash"),
    created_at: is("created_at"),
    tree_sha256: is("tree_sha256"),
    parent: is("parent"),
    git_commit: rule.untold("git's own id follows from the files, which a file's audit compares"),
    verified: unverified,
  },
);

/** A hosted application has a slug, whose hash entries of earlier versions lack. */
const slug: rule.Rule<unknown> = {
  see(shown, facts, seen, path) {
    const isHosted = facts.row?.["html_sha256"] !== undefined && facts.row["hidden_at"] === null;
    if (isHosted && typeof shown === "string") hashed("slug").see?.(shown, facts, seen, path);
    else seen.compare(path, shown, isHosted ? "a slug" : null);
  },
};

const APPLICATION = {
  id,
  slug,
  name: hashed("name"),
  kind: hashed("kind"),
  valuation_usd: amount("valuation_usd_micro"),
  valuation_verified: unverified,
  agent: agent("agent"),
  created_at: is("created_at"),
  verified: unverified,
};

const shortApplication = ofRow<RepositoryPage["applications"][number]>(
  "app",
  byId("app"),
  APPLICATION,
);

const WHOLE = {
  ...APPLICATION,
  url: rule.untold("where pages are hosted is a setting"),
  homepage: hashed("homepage"),
  description: hashed("description"),
  repo_id: is("repository"),
  html_bytes: is("html_bytes"),
  html_sha256: is("html_sha256"),
  hidden: derived(({ row }) => row["hidden_at"] !== null),
};

export const applicationRule = ofRow<z.output<typeof application>>("app", byId("app"), WHOLE);

const GONE = { ...WHOLE, url: rule.always(null) };

/** Of a hidden one all texts are left out. */
const hiddenRule = ofRow<z.output<typeof hiddenApplication> & { scripts: null }>(
  "app",
  byId("app"),
  {
    ...GONE,
    ...{ homepage: rule.always(null), name: rule.always(null), description: rule.always(null) },
    ...{ kind: rule.always(null), scripts: rule.always(null) },
    purged: derived(({ row }) => row["purged_at"] !== null),
  },
);

type ApplicationShown = Out<typeof contracts.apps.get>["app"];

const shownRule = ofRow<Extract<ApplicationShown, { hidden: false }>>("app", byId("app"), {
  ...WHOLE,
  scripts: rule.untold("follows from the page, whose bytes are compared"),
});

/** The ledger determines which of the two it is. */
const eitherRule: rule.Rule<ApplicationShown> = {
  fields: { ...hiddenRule.fields, ...shownRule.fields },
  see(shown, facts, seen, path) {
    const isHidden = facts.ledger.row("app", `app ${facts.asked["id"]}`)?.["hidden_at"] !== null;
    (isHidden ? hiddenRule : shownRule).see?.(shown, facts, seen, path);
  },
};

export const applicationPage = rule.object<Out<typeof contracts.apps.get>>({ app: eitherRule });

/** Those that are not hidden. */
export const visibleApps = (ledger: Ledger, ids: readonly number[], limit: number) =>
  newest(ids, { limit, where: (n) => ledger.row("app", `app ${n}`)?.["hidden_at"] === null });

const applicationsPage = page("applications", {
  key: ownId,
  each: applicationRule,
  first: ({ ledger }, n) => visibleApps(ledger, ledger.ids("app"), n),
});

export const applicationList = rule.object<Out<typeof contracts.apps.list>>({
  applications: applicationsPage.items,
  count: applicationsPage.count,
  more: applicationsPage.more,
  next: applicationsPage.next,
  declared_value_usd: known(({ ledger }) => rule.asNumber(ledger.books.counts.usd.app)),
});

const repoId = (facts: Facts) => facts.asked["id"];

const commitsPart = part("commits", {
  key: ownId,
  each: commitRule,
  first: (facts, n) =>
    newest(facts.ledger.idsBy("repository_commit", "repository", repoId(facts)), { limit: n }),
  limit: () => COMMITS_SHOWN_MAX,
});

const applicationsPart = part("applications", {
  key: ownId,
  each: shortApplication,
  first: (facts, n) =>
    visibleApps(facts.ledger, facts.ledger.idsBy("app", "repository", repoId(facts)), n),
  limit: () => APPLICATIONS_SHOWN_MAX,
});

export const repositoryPage = rule.object<RepositoryPage>({
  repo: repositoryRule,
  members: ranked({
    key: (item) => `${item["agent_id"]}`,
    each: member,
    limit: () => MEMBERS_SHOWN_MAX,
    ranks: membersNow,
  }),
  members_more: moreThan("members", (facts) => membersNow(facts).size),
  commits: commitsPart.items,
  commits_more: commitsPart.more,
  applications: applicationsPart.items,
  applications_more: applicationsPart.more,
  writers: rule.untold("a file's audit compares them with their entries"),
});

const ownCommits = (facts: Facts) =>
  facts.ledger.idsBy("repository_commit", "repository", repoId(facts));

const commitsPage = page("commits", {
  key: ownId,
  each: commitRule,
  first: (facts, n) => newest(ownCommits(facts), { limit: n }),
});

export const commitList = rule.object<Out<typeof contracts.repositories.commits>>({
  commits: commitsPage.items,
  count: commitsPage.count,
  more: commitsPage.more,
  next: commitsPage.next,
  total: known((facts) => ownCommits(facts).length),
});

export const memberList = rule.object<Out<typeof contracts.repositories.members>>({
  members: ranked({
    key: (item) => `${item["agent_id"]}`,
    each: member,
    limit: askedLimit,
    ranks: membersNow,
  }),
  count: countOf("members"),
  more: moreThan("members", (facts) => membersNow(facts).size),
  next: nextPlace,
  total: known((facts) => membersNow(facts).size),
});
