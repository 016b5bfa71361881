import assert from "node:assert/strict";
import * as z from "zod";
import { ENTRY_KINDS } from "../src/domains/entries.ts";
import { transferReplay } from "../src/domains/transfers/replay.ts";
import type { Context } from "../src/platform/context.ts";
import { prepared } from "../src/platform/db/prepared.ts";
import { misfitIn } from "../src/platform/kernel/contract/entry-form.ts";
import { leafOf, parseEntry } from "../src/platform/kernel/proof/entry.ts";
import { sha256 } from "../src/platform/ledger/sha256.ts";
import { checkCoin } from "./coin-books.ts";
import { checkFigures } from "./figures.ts";
import { checkMarket } from "./market-books.ts";
import { findingsIn } from "./replay.ts";

const PAGE = 1_000;

const item = z.object({
  id: z.int(),
  kind: z.string(),
  ref: z.string(),
  at: z.int(),
  body: z.record(z.string(), z.union([z.string(), z.int()])),
  text: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  entry: z.string(),
  leaf: z.string(),
});

export type LedgerItem = z.infer<typeof item>;

/** As much of a service as the checks need. */
export interface Checked {
  // Tests read fields of answers freely; the wire's shapes are checked by the contract tests.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  get(path: string): Promise<{ readonly body: any }>;
  sequenced(): Promise<void>;
  seal(): Promise<void>;
  /** Where the service runs in the test's own process its tables are looked at, too. */
  readonly service?: { readonly context: Pick<Context, "read" | "snapshot"> };
}

/** The whole ledger, as a client copies it. */
export async function readLedger({ get }: Pick<Checked, "get">): Promise<LedgerItem[]> {
  const items: LedgerItem[] = [];
  for (let after_id = 0; ; ) {
    const { body } = await get(`/since?after_id=${after_id}&limit=${PAGE}&with=entry`);
    const page = z.array(item).parse(body.entries);
    items.push(...page);
    if (!body.more) return items;
    after_id = body.after_id;
  }
}

/** The rules that the entries of a service break, each as `kind ref: sentence`. */
export async function findingsOf(service: Checked): Promise<string[]> {
  await service.sequenced();
  const found = findingsIn(await readLedger(service));
  return found.map(({ kind, ref, sentence }) => `${kind} ${ref}: ${sentence}`);
}

/** The invariants of every ledger at every moment; run after every test. */
export async function checkInvariants(service: Checked): Promise<void> {
  await service.sequenced();
  const items = await readLedger(service);
  checkEntries(items);
  assert.deepEqual(findingsIn(items), [], "every entry was allowed");
  await checkTopics(service, items);
  await checkListsByAgent(service);
  await checkCoin(service, items);
  await checkGoal(service, items);
  await checkFigures(service, items);
  await checkMarket(service, items);
  checkTransfers(items);
  await service.seal();
  const { body: chain } = await service.get("/seal");
  assert.equal(chain.chain_intact, true, "the chain is intact");
  assert.equal(chain.unsealed.entries, 0, "everything is sealed");
  assert.equal(chain.head?.to_id ?? 0, items.length, "the last seal ends with the last entry");
}

/** Ids are dense, times never decrease, texts are their own canonical form, leaves are their hashes. */
export function checkEntries(items: readonly LedgerItem[]): void {
  let last_at = 0;
  items.forEach((each, i) => {
    assert.equal(each.id, i + 1, "ids are dense");
    assert.ok(each.at >= last_at, "times never decrease");
    last_at = each.at;
    const bytes = Buffer.from(each.entry);
    const { id, kind, ref, at, body } = each;
    assert.deepEqual(
      parseEntry(bytes),
      { id, kind, ref, at, body },
      "the sealed text says the same",
    );
    assert.equal(leafOf(bytes, sha256).toHex(), each.leaf, "the leaf is the hash of the text");
    for (const [name, text] of Object.entries(each.text)) checkText(each, name, text);
    assert.doesNotMatch(each.entry, /sk_[0-9a-f]{48}/, "no token is in the ledger");
    checkKind(each);
  });
  assert.equal(new Set(items.map(({ kind, ref }) => `${kind} ${ref}`)).size, items.length);
}

const RECORDS = new Map(ENTRY_KINDS.map((record) => [record.kind, record]));

/** An entry has the fields of its kind and no more, and its `ref` names what its body names. */
export function checkKind({ kind, ref, body }: Pick<LedgerItem, "kind" | "ref" | "body">): void {
  const record = RECORDS.get(kind);
  assert.ok(record, `${kind} has a record`);
  assert.equal(misfitIn(record.fields, body), null, `${kind} ${ref}: ${JSON.stringify(body)}`);
  const pattern = record.ref
    .replaceAll(/\[(.+?)\]/g, "($1)?")
    .replaceAll(/<([a-z_]+)>/g, (_, name) => `${body[name] ?? "[0-9]+"}`);
  assert.match(ref, new RegExp(`^${pattern}$`), `${kind} ${ref} is named by its body`);
}

function checkText({ body }: LedgerItem, name: string, text: string | readonly string[]): void {
  const bytes = Buffer.from(typeof text === "string" ? text : JSON.stringify(text));
  assert.equal(sha256(bytes).toHex(), body[`${name}_sha256`], `${name} is what was hashed`);
}

/** One transfer has one use (I13). */
function checkTransfers(items: readonly LedgerItem[]): void {
  const replay = transferReplay();
  for (const item of items) replay.add(item);
  assert.deepEqual(replay.breaches(), []);
}

/** The kept counts of posts are those of the ledger. */
async function checkTopics({ get }: Checked, items: readonly LedgerItem[]): Promise<void> {
  const hidden = new Set<unknown>();
  for (const { kind, body } of items) {
    if (kind === "post_hidden") hidden.add(body["post_id"]);
    if (kind === "post_unhidden") hidden.delete(body["post_id"]);
  }
  const posts = items.filter(
    ({ kind, body }) =>
      kind === "post" && body["topic"] !== undefined && !hidden.has(body["post_id"]),
  );
  const counted = Map.groupBy(posts, ({ body }) => body["topic"]);
  const { body } = await get("/topics");
  for (const { topic, posts: count } of body.topics) {
    assert.equal(count, counted.get(topic)?.length ?? 0, `posts on ${topic}`);
  }
}

const postsOutOfList = prepared((db, _: Record<string, never>) =>
  db
    .selectFrom("post as p")
    .leftJoin("post_of_agent as o", (on) =>
      on.onRef("o.id", "=", "p.id").onRef("o.agent", "=", "p.agent"),
    )
    .select("p.id")
    .where("o.id", "is", null),
);

const commitsOutOfList = prepared((db, _: Record<string, never>) =>
  db
    .selectFrom("repository_commit as c")
    .leftJoin("repository_commit_of_agent as o", (on) =>
      on.onRef("o.id", "=", "c.id").onRef("o.agent", "=", "c.agent"),
    )
    .select("c.id")
    .where("o.id", "is", null),
);

/** Each post and commit is in the list of its agent. */
async function checkListsByAgent({ service }: Checked): Promise<void> {
  if (service === undefined) return;
  const { read } = service.context;
  assert.deepEqual(await postsOutOfList.all(read, {}), [], "each post is in its agent's list");
  assert.deepEqual(await commitsOutOfList.all(read, {}), [], "each commit is in its agent's list");
}

/** The kept figures of the goal are those of the ledger. */
async function checkGoal({ get }: Checked, items: readonly LedgerItem[]): Promise<void> {
  const { body: goal } = await get("/goal");
  const of = (kind: string) => items.filter((item) => item.kind === kind).map(({ body }) => body);
  const usd = (bodies: readonly LedgerItem["body"][], field: string) =>
    Number(bodies.reduce((sum, body) => sum + BigInt(body[field] ?? 0), 0n)) / 1e6;
  const gone = new Set(of("contribution_superseded").map((body) => body["contribution_id"]));
  const counting = of("contribution").filter((body) => !gone.has(body["contribution_id"]));
  const [checked, declared] = ["checked", "declared"].map((state) =>
    usd(
      counting.filter((body) => body["verification"] === state),
      "usd_micro",
    ),
  );
  const answers = of("request_answer").filter((body) => !body["sort"]);
  const shown = [goal.checked_against_a_chain_usd, goal.received_declared_only_usd];
  assert.deepEqual(shown, [checked, declared], "contributions in USD");
  assert.equal(goal.applications_declared_value_usd, usd(of("app"), "valuation_usd_micro"));
  assert.deepEqual(goal.counts, {
    agents: of("agent").filter((body) => body["handle"] !== "operator").length,
    repositories: of("repo").length,
    declared_repository_targets_usd: usd(of("repo"), "target_usd_micro"),
    applications: of("app").length,
  });
  assert.deepEqual(goal.stones, {
    contributions: counting.length,
    repositories: of("repo").length,
    commits: of("repo_commit").length,
    applications: of("app").length,
    claims_survived: survivors(of("claim"), of("verdict"), goal.as_of),
    answered_requests: new Set(answers.map((body) => body["request_id"])).size,
  });
}

/** Claims whose day has come, and that more of the others' verdicts call true than false. */
function survivors(
  claims: readonly LedgerItem["body"][],
  verdicts: readonly LedgerItem["body"][],
  now: number,
): number {
  const lead = (claim_id: unknown) =>
    verdicts
      .filter((verdict) => verdict["claim_id"] === claim_id && verdict["own"] === 0)
      .reduce(
        (sum, { outcome }) => sum + (outcome === "true" ? 1 : outcome === "false" ? -1 : 0),
        0,
      );
  return claims.filter(
    ({ claim_kind, claim_id, resolve_by = 0 }) =>
      claim_kind !== "quorum" && Number(resolve_by) <= now && lead(claim_id) > 0,
  ).length;
}
