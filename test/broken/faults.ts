/**
 * A fault in the code that counts: one text of a file in place of another. `told` is what the audit of a life under
 * it must name: a column of a table, or the words of a broken sum.
 */
export interface Fault {
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly told: string;
}

/** Faults of one file and one text, each with what it becomes. */
const faults =
  (file: string) =>
  (told: string, from: string, ...to: readonly string[]): readonly Fault[] =>
    to.map((each) => ({ file: `src/${file}`, from, to: each, told }));

const tasks = faults("domains/tasks/queries.ts");
const repositories = faults("domains/repositories/queries.ts");
const memberships = faults("domains/repositories/rows.ts");
const verdicts = faults("domains/claims/verdict-queries.ts");
const requests = faults("domains/requests/queries.ts");
const judgements = faults("domains/requests/rows.ts");
const acts = faults("surfaces/dispatch/acts.ts");

/** Counts that a write raises in the row itself: another sign, another amount, and left out. */
const COUNTS: readonly Fault[] = [
  ...tasks(
    "task.submissions_count",
    "submissions_count + 1",
    "submissions_count + 2",
    "submissions_count",
  ),
  ...tasks("task.passes", "`passes + 1`", "`passes + 2`", "`passes`"),
  ...["members", "commits", "applications"].flatMap((column) =>
    repositories(
      `repository.${column}`,
      `sql\`${column} + \${p.${column}}\``,
      `sql\`${column} + 2 * \${p.${column}}\``,
      `sql\`${column} + 0 * \${p.${column}}\``,
    ),
  ),
  ...memberships(
    "repository.members",
    "members: plus(-1)",
    "members: plus(1)",
    "members: plus(-2)",
    "members: plus(0)",
  ),
  ...["true", "false", "void"].flatMap((outcome) =>
    verdicts(
      `claim.verdicts_${outcome}`,
      `sql\`verdicts_${outcome} + \${p.${outcome}}\``,
      `sql\`verdicts_${outcome} + 2 * \${p.${outcome}}\``,
      `sql\`verdicts_${outcome} + 0 * \${p.${outcome}}\``,
    ),
  ),
  ...verdicts("claim.verdicts_own", "verdicts_own: 1 }", "verdicts_own: 2 }", "verdicts_own: 0 }"),
  ...["offered", "waiting"].flatMap((column) =>
    requests(
      `request.${column}`,
      `sql\`${column} + \${p.judged}\``,
      `sql\`${column} + 2 * \${p.judged}\``,
      `sql\`${column} + 0 * \${p.judged}\``,
    ),
  ),
  ...requests(
    "request.asks",
    "asks: p.asks",
    "asks: sql`2 * ${p.asks}`",
    "asks: sql`0 * ${p.asks}`",
  ),
  ...requests(
    "request.answers_count",
    "answers_count + 1`,",
    "answers_count + 2`,",
    "answers_count`,",
  ),
  ...judgements(
    "request.waiting",
    "waiting: plus(-1)",
    "waiting: plus(1)",
    "waiting: plus(-2)",
    "waiting: plus(0)",
  ),
  ...judgements("request.answers_count", 'answers_count: sameAs("offered")', "answers_count: 0"),
  ...acts(
    "agent_key.act",
    "act,\n    act_ref",
    "act: act + 1,\n    act_ref",
    "act: row.act,\n    act_ref",
  ),
];

const records = faults("domains/claims/record.ts");
const threads = faults("domains/feed/threads.ts");
const topics = faults("domains/feed/topics.ts");
const counters = faults("domains/counters/counts.ts");
const tallies = faults("domains/counters/tallies.ts");
const coin = faults("domains/coin/projector.ts");
const grants = faults("domains/coin/grants.ts");
const postings = faults("domains/coin/postings.ts");
const applications = faults("domains/repositories/activity.ts");
const market = faults("domains/market/accounts/projector.ts");
const accounts = faults("domains/market/accounts/order-accounts.ts");
const figures = faults("domains/market/accounts/figures.ts");

/** Faults of the projectors, and of the postings that they share with the audit's own books. */
const PROJECTIONS: readonly Fault[] = [
  ...records(
    "resolution_record.given_true",
    "record[counter]++",
    "record[counter]--",
    "record[counter] += 2",
    "void counter",
  ),
  ...threads(
    "thread.replies",
    '"post_hidden" ? -1 : 1',
    '"post_hidden" ? 1 : -1',
    '"post_hidden" ? -2 : 2',
    '"post_hidden" ? 0 : 0',
  ),
  ...topics(
    "topic.posts",
    '"post_hidden" ? -1 : 1',
    '"post_hidden" ? 1 : -1',
    '"post_hidden" ? -2 : 2',
    '"post_hidden" ? 0 : 0',
  ),
  ...topics(
    "topic.last_posted_at",
    "change.last_posted_at = entry.at",
    "change.last_posted_at = entry.at + 1",
  ),
  ...counters(
    "counter.n",
    "counting(kind, 1)",
    "counting(kind, -1)",
    "counting(kind, 2)",
    "counting(kind, 0)",
  ),
  ...counters(
    "counter.usd_micro",
    "sum.usd += Math",
    "sum.usd -= Math",
    "sum.usd += 2 * Math",
    "void Math",
  ),
  ...counters(
    "counter.n",
    "n: -1, usd_micro: -(",
    "n: 1, usd_micro: (",
    "n: -2, usd_micro: -(",
    "n: 0, usd_micro: -(",
  ),
  ...counters(
    "counter.n",
    "isNew.length - isOver",
    "isOver - isNew.length",
    "2 * (isNew.length - isOver)",
    "0 * isOver",
  ),
  ...tallies("agent_tally.claim", "sum[figure]++", "sum[figure] += 2", "void figure"),
  ...coin(
    "coin_account.balance",
    "?? 0n) + line.amount",
    "?? 0n) - line.amount",
    "?? 0n) + 2n * line.amount",
    "?? 0n)",
  ),
  ...coin(
    "coin_posting.amount",
    "Number(line.amount);",
    "-Number(line.amount);",
    "2 * Number(line.amount);",
  ),
  ...coin("coin_entry_agent.kind", "agents.push({", "void ({"),
  ...grants("I4", "n: sum.n + n", "n: sum.n - n", "n: sum.n + 2 * n", "n: sum.n"),
  ...grants("coin_grant_hour.amount", "sum.amount + amount", "sum.amount - amount", "sum.amount"),
  ...postings(
    "I4",
    'amount: micro<"coin">(-moved)',
    "amount: moved",
    'amount: micro<"coin">(-2 * moved)',
  ),
  ...postings("I4", "account: to, amount: moved", 'account: to, amount: micro<"coin">(2 * moved)'),
  ...postings(
    "I4",
    'move("reward_pool", "reward_reserved"',
    'move("reward_reserved", "reward_pool"',
  ),
  ...postings("I4", "move(`agent:${from}`, `agent:${to}`", "move(`agent:${to}`, `agent:${from}`"),
  ...postings(
    "I4",
    "move(`agent:${agent}`, `request:${request_id}`",
    "move(`request:${request_id}`, `agent:${agent}`",
  ),
  ...postings(
    "I4",
    "move(`request:${request_id}`, `agent:${to}`",
    "move(`agent:${to}`, `request:${request_id}`",
  ),
  ...postings(
    "I4",
    'move("reward_reserved", `agent:${agent}`',
    'move("reward_pool", `agent:${agent}`',
  ),
  ...postings(
    "I4",
    'move("reward_reserved", "reward_pool"',
    'move("reward_pool", "reward_reserved"',
  ),
  ...applications("repository.applications", "?? 0) + 1, at", "?? 0) + 2, at", "?? 0), at"),
  ...market(
    "market_figure.amount",
    '"offers_open", 1n)',
    '"offers_open", -1n)',
    '"offers_open", 2n)',
    '"offers_open", 0n)',
  ),
  ...market(
    "market_figure.amount",
    '"offers_open", -BigInt(changed))',
    '"offers_open", BigInt(changed))',
    '"offers_open", 0n)',
  ),
  ...accounts("I12", "amount_raw: -amount_raw", "amount_raw", "amount_raw: -2n * amount_raw"),
  ...accounts(
    "I12",
    '[entries.payoutDue, "escrow", "seller_payable"]',
    '[entries.payoutDue, "escrow", "fee"]',
  ),
  ...accounts(
    "I12",
    '[entries.refund, "refund_payable", "out"]',
    '[entries.refund, "escrow", "out"]',
  ),
  ...accounts("I12", 'order_released: to("released")', 'order_released: to("paid_out")'),
  ...figures(
    "I12",
    "`orders_${after.state}`, 1n",
    "`orders_${after.state}`, -1n",
    "`orders_${after.state}`, 2n",
  ),
  ...figures("I12", "owedRaw(after) -", "2n * owedRaw(after) -"),
  ...figures("I12", '"fees_usd", BigInt(', '"fees_usd", 2n * BigInt(', '"fees_usd", -BigInt('),
  ...figures("I12", 'if (kind === "fee")', 'if (kind === "none")'),
  ...figures("I12", '"payouts_due_usd", -paid', '"payouts_due_usd", paid'),
  ...figures("I12", '"payouts_sent_usd", paid', '"payouts_sent_usd", -paid'),
  ...figures("I12", '"refunds_due", refund.due *', '"refunds_due", -refund.due *'),
  ...figures(
    "I12",
    '"refunds_due_usd", refund.due *',
    '"refunds_due_usd", -refund.due *',
    '"refunds_due_usd", 2n * refund.due *',
  ),
  ...figures(
    "I12",
    '"refunds_sent_usd", refund.sent *',
    '"refunds_sent_usd", -refund.sent *',
    '"refunds_sent_usd", 2n * refund.sent *',
  ),
];

export const FAULTS: readonly Fault[] = [...COUNTS, ...PROJECTIONS];
