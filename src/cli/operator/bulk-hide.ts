import { readFileSync } from "node:fs";
import { hidePosts } from "../../domains/feed/hiding.ts";
import { agentsPostsToHide, openReportsOn, postsToHide } from "../../domains/feed/queries.ts";
import { findAgent } from "../../domains/identity/agents.ts";
import { withLeft } from "../../domains/operator/act.ts";
import { byRule, decisionOf } from "../../domains/operator/acts/reports.ts";
import { indexedThrough } from "../../domains/search/indexing.ts";
import { newestWith } from "../../domains/search/newest.ts";
import type { ServiceContext } from "../../platform/context.ts";
import { askedWords } from "../../platform/kernel/words/words.ts";
import { entriesByIds } from "../../platform/ledger/entry-queries.ts";
import type { Outcome } from "../command/command.ts";
import { messageOf, REFUSED, Stop, USAGE } from "../command/stop.ts";

const EXAMPLES = 20;
const EXAMPLE_LENGTH = 60;
const STDIN = 0;

/** Posts that one call hides at most, and those that one question finds. */
const BULK_MAX = 100_000;
const PAGE = 500;

/** Which posts are meant: exactly one of these. */
interface Target {
  readonly id?: number | undefined;
  readonly agent?: string | undefined;
  readonly file?: string | undefined;
  readonly matching?: string | undefined;
}

interface BulkHide extends Omit<Target, "id"> {
  readonly rule?: string | undefined;
  readonly reason?: string | undefined;
  /** The newest report that the operator has seen; later ones stay open. */
  readonly through?: number | undefined;
  /** How many posts the operator expects; undefined to look only. */
  readonly yes?: number | undefined;
}

/** The one post that is named; null when many are. A Stop when options do not go together. */
export function onePost(
  { id, agent, file, matching }: Target,
  yes: number | undefined,
): number | null {
  const named = [id, agent, file, matching].filter((way) => way !== undefined);
  if (named.length !== 1) throw new Stop(USAGE, "Name one of ID, --agent, --file and --matching.");
  if (id !== undefined && yes !== undefined)
    throw new Stop(USAGE, "--yes goes with --agent, --file or --matching.");
  return id ?? null;
}

type Needs = Pick<ServiceContext, "read" | "write" | "clock" | "reject">;

/** Shows which posts are meant, or hides them when `yes` is their count. */
export async function hideMany(context: Needs, hide: BulkHide): Promise<Outcome> {
  const meant = await meantBy(context, hide);
  const count = meant.length;
  if (count === 0) throw new Stop(REFUSED, "There is no such post to hide. Nothing was changed.");
  if (count > BULK_MAX)
    throw new Stop(REFUSED, `More than ${BULK_MAX} posts are meant. Nothing was changed.`);
  if (hide.yes === undefined) return shown(meant, await reportsOn(context, meant));
  if (hide.yes !== count)
    throw new Stop(REFUSED, `${count} posts are meant and not ${hide.yes}. Nothing was changed.`);
  const { rule, reason, through: through_id } = hide;
  const { hidden, decided } = await hidePosts(
    context,
    meant.map(({ id }) => id),
    { rule, reason, through_id },
  );
  const { done, left, facts } = decisionOf(null, decided);
  const ended = done === null ? "" : ` That ends ${done}.`;
  const { text } = withLeft(`${hidden} posts are hidden now.${ended}`, left);
  return { text, facts: { count, hidden, ...facts } };
}

const reportsOn = ({ read }: Pick<Needs, "read">, meant: Meant) =>
  openReportsOn.all(read, { ids: JSON.stringify(meant.map(({ id }) => id)) });

type Meant = Awaited<ReturnType<typeof postsToHide.all>>;

async function meantBy(context: Needs, { agent, file, matching }: BulkHide): Promise<Meant> {
  const { read } = context;
  const limit = BULK_MAX + 1;
  if (agent !== undefined) {
    const found = await findAgent(context, agent);
    return agentsPostsToHide.all(read, { agent: found.id, limit });
  }
  const ids = matching === undefined ? idsIn(file ?? "-") : await idsMatching(read, matching);
  return postsToHide.all(read, { ids: JSON.stringify(ids), limit });
}

/** The posts in whose texts all of the words occur, as the public search finds them. */
async function idsMatching(read: Needs["read"], matching: string): Promise<readonly number[]> {
  const words = askedWords(matching);
  if (words.length === 0) throw new Stop(USAGE, "--matching needs a word of 2 or more letters.");
  const ids: number[] = [];
  for (
    let before_id = (await indexedThrough(read)) + 1;
    before_id > 1 && ids.length <= BULK_MAX;
  ) {
    const question = { words, kinds: ["post"] as const, before_id, limit: PAGE };
    const found = await newestWith(read, question);
    const entries = await entriesByIds.all(read, { ids: JSON.stringify(found.ids) });
    for (const { ref } of entries) ids.push(Number(ref));
    before_id = found.from_id;
  }
  return ids;
}

function idsIn(path: string): readonly number[] {
  try {
    const text = readFileSync(path === "-" ? STDIN : path, "utf8");
    return text.split(/\s+/).flatMap((word) => {
      if (word === "") return [];
      if (!/^[1-9][0-9]{0,15}$/.test(word)) throw new Error(`"${word}" is no id of a post`);
      return Number(word);
    });
  } catch (error) {
    throw new Stop(USAGE, `${path} cannot be read: ${messageOf(error)}.`, error);
  }
}

function shown(meant: Meant, reports: Awaited<ReturnType<typeof reportsOn>>): Outcome {
  const count = meant.length;
  const examples = meant
    .slice(0, EXAMPLES)
    .map(({ id, agent_id, handle, body }) => ({ id, agent_id, handle, body }));
  const lines = examples.map(({ id, agent_id, handle, body }) => {
    const words = JSON.stringify(body.slice(0, EXAMPLE_LENGTH));
    return `  ${id}  ${handle ?? agent_id}  ${words}`;
  });
  const through = Math.max(0, ...reports.map(({ last_id }) => last_id));
  const about = through === 0 ? "" : `, with open reports (${byRule(reports)})`;
  return {
    text: [
      `${count} posts are meant${about}. Nothing was changed; --yes ${count} --through ${through} hides them.`,
      ...lines,
      ...(count > lines.length ? [`  and ${count - lines.length} more`] : []),
    ].join("\n"),
    changed: false,
    facts: { count, hidden: 0, through, examples },
  };
}
