import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { hideApp, unhideApp } from "../src/domains/apps/hiding.ts";
import { purgeApp } from "../src/domains/apps/purging.ts";
import { markOverdue } from "../src/domains/claims/listing.ts";
import { acceptProposal } from "../src/domains/claims/proposals.ts";
import { expireOverdue } from "../src/domains/coin/expiry.ts";
import { addQuest, awardQuest, closeQuest } from "../src/domains/commons/quests.ts";
import { hidePost, unhidePost } from "../src/domains/feed/hiding.ts";
import { findAgent } from "../src/domains/identity/agents.ts";
import { banAgent, unbanAgent } from "../src/domains/identity/bans/bans.ts";
import { markOwn } from "../src/domains/identity/own.ts";
import { grantRecognition } from "../src/domains/identity/recognition.ts";
import {
  pauseRegistrations,
  resumeRegistrations,
} from "../src/domains/identity/registrations/pauses.ts";
import { loseAnswers } from "../src/domains/identity/writes/marks.ts";
import { holdOrder } from "../src/domains/market/orders/operator.ts";
import { settleDueOrders } from "../src/domains/market/orders/timers.ts";
import { recordPayment } from "../src/domains/market/payments/received.ts";
import { returnUnmatched } from "../src/domains/market/payouts/returns.ts";
import { REMOVABLE } from "../src/domains/removable.ts";
import { partsOf } from "../src/domains/removals/removable.ts";
import { eraseText, hideText, showText } from "../src/domains/removals/removing.ts";
import { purgeFile } from "../src/domains/repositories/files/purging.ts";
import { endOverdueRequests } from "../src/domains/requests/deadlines.ts";
import { followUp, openRequest, takeBack } from "../src/domains/requests/intake.ts";
import { closeTask, insertTask } from "../src/domains/tasks/operator.ts";
import { purgeTask } from "../src/domains/tasks/purging.ts";
import { addOwnAccount, rememberAccounts } from "../src/domains/transfers/own-accounts.ts";
import { accountText } from "../src/platform/chain/account.ts";
import { RAW_PER_XNO } from "../src/platform/kernel/nano.ts";
import { DAY_S, days } from "../src/platform/kernel/time.ts";
import { announce } from "../src/platform/ledger/announcements/announce.ts";
import { openEpoch } from "../src/platform/ledger/seals/epochs.ts";
import { newPair, setKey, signed } from "./act-keys.ts";
import { dev } from "./chain-service.ts";
import { BAD, did, passed, REASON, sales } from "./full-sales.ts";
import type { Market } from "./market-service.ts";
import type { TestAgent } from "./service.ts";

/** Days without the service, and the duties that it does when it is back. */
export async function away(market: Market, days: number): Promise<void> {
  await passed(market, days);
  await expireOverdue(market.context);
  await endOverdueRequests(market.context);
  await settleDueOrders(market.context, 100);
}

/** Lets enough happen that every column that the ledger determines has a value in some row. */
export async function fillService(market: Market): Promise<void> {
  const carol = await market.register("carol");
  await agents(market, carol);
  await works(market, carol);
  await board(market, carol);
  await commons(market, carol);
  await money(market, carol);
  await sales(market);
  await strays(market);
  await away(market, 22);
  await did(market.seller.post("/coin/claim"), 200);
  const coins = { to: carol.agent_id, amount: "0.01", memo: "Thanks." };
  for (const amount of ["0.01", "0.02"])
    await did(market.seller.post("/coin/send", { ...coins, amount }));
  await rewarded(market, carol);
  await keys(market);
  for (const later of [200, 200]) {
    await away(market, later);
    await did(market.buyer.post("/post", { body: "Months later.", topic: "other" }));
  }
  await removed(market, carol);
  await markOverdue(market.context);
  await market.watch();
  const { id: order_id } = await market.paid(await market.offer());
  await holdOrder(market.context, { order_id, reason: "Wait." });
  await settleDueOrders(market.context, 100);
  await banAgent(market.context, { agent: carol.agent_id, reason: "Enough." });
  await did(market.seller.get("/quorum"), 200);
  await market.seal();
  await restored(market);
  await market.seal();
}

/** Texts out of sight, back again, and gone for good. */
async function removed({ context }: Market, { agent_id }: TestAgent): Promise<void> {
  const named = (kind: string, ref: string) => {
    const of = REMOVABLE.get(kind);
    const parts = of && partsOf(of.kind, ref);
    assert.ok(of && parts, kind);
    return { of, ref, parts };
  };
  const hidden = [
    named("claim", "1"),
    named("verdict", "1"),
    named("request_answer", "1"),
    named("repo_commit", "2"),
    named("coin_transfer", "1"),
    named("profile", `${agent_id}/1`),
    named("repo_join", `1/${agent_id}/2`),
    named("repo", "2"),
    named("contribution", "1"),
    named("file", sha256Of(READ.text)),
  ];
  for (const each of hidden)
    assert.ok(await hideText(context, each, { rule: "R2", reason: REASON }));
  for (const each of hidden.slice(0, 2)) assert.ok(await showText(context, each, {}));
  for (const each of hidden.slice(2, 5))
    assert.ok(await eraseText({ ...context, loseAnswers }, each));
  await hidePost(context, { post_id: 2 });
  for (const each of [named("post", "2"), named("app", "3")])
    assert.ok(await eraseText({ ...context, loseAnswers }, each));
  assert.ok(await hideText(context, named("offer", "1"), {}));
}

/** As if a backup had been brought back. */
async function restored({ service: { upkeep, signer }, sequenced }: Market): Promise<void> {
  const write: typeof upkeep.write = async (body) => {
    const done = await upkeep.write(body);
    await sequenced();
    return done;
  };
  const loss = { epoch: 2, reason: "A disk was lost.", lastSigned: null };
  await openEpoch({ ...upkeep, write, yieldToRequests: async () => {} }, loss, signer);
}

async function agents({ service, seller, buyer }: Market, carol: TestAgent): Promise<void> {
  const { context } = service;
  await did(
    carol.post("/profile", { name: "Carol", purpose: "To judge.", capabilities: ["Judge", "Sum"] }),
    200,
  );
  await did(
    seller.post("/profile", { name: "Sell", purpose: "To sum.", capabilities: ["sum"] }),
    200,
  );
  await banAgent(context, { agent: buyer.agent_id, reason: REASON });
  await unbanAgent(context, { agent: buyer.agent_id, reason: "Better." });
  const mallory = await findAgent(context, carol.agent_id);
  await context.write((tx) =>
    grantRecognition(tx, context, {
      agent: mallory,
      days: 3,
      why: "grant",
      source: "post/1",
      note: "For a deed.",
    }),
  );
  await pauseRegistrations(context, service.signer, { minutes: 5, reason: REASON });
  await resumeRegistrations(context);
  const limits = { rewards_per_hour: 1_000, rate_limit_per_minute: 60 };
  const pace = { title: "Slower", body: "100 rewards an hour.", ...limits };
  await context.write((tx) =>
    announce(tx, context, service.signer, { kind: "limit_added", ...pace }),
  );
}

async function works({ service, seller, buyer }: Market, carol: TestAgent): Promise<void> {
  const { context } = service;
  const repo = { name: "Sums", mission: "To add.", kind: "tool", homepage: "https://x.example" };
  const { id: repo_id } = await did(seller.post("/repo", { ...repo, target_usd: 5 }));
  await did(seller.post("/repo", { ...repo, name: "Other" }));
  await did(carol.post("/repo/join", { repo_id, role: "adder" }), 200);
  await did(carol.post("/repo/join", { repo_id, role: "tester" }), 200);
  await did(buyer.post("/repo/join", { repo_id }), 200);
  const commit = { repo_id, artifact: "https://x.example/1", hash: "abc123" };
  await did(carol.post("/repo/commit", { ...commit, summary: "Adds." }));
  await did(seller.post("/repo/commit", { repo_id, summary: "More." }));
  await did(carol.post("/repo/leave", { repo_id }), 200);
  await did(carol.post("/repo/join", { repo_id, role: "again" }), 200);
  await did(buyer.post("/repo/leave", { repo_id }), 200);
  await files(service, { seller, carol }, repo_id);
  const app = { description: "It adds.", kind: "tool", homepage: "https://x.example" };
  const html = (n: number) => `<!doctype html><title>${n}</title><p>${n}</p>`;
  const ids: number[] = [];
  for (const n of [1, 2, 3]) {
    const fields = { ...app, name: `App ${n}`, html: html(n), valuation_usd: n, repo_id };
    ids.push((await did(seller.post("/app", fields))).id);
  }
  const [first = 0, second = 0, third = 0] = ids;
  await hideApp(context, { app_id: first, rule: "R1", reason: REASON });
  await unhideApp(context, { app_id: first, reason: "Fine." });
  await hideApp(context, { app_id: second, rule: "R2", reason: "No." });
  await hideApp(context, { app_id: third, rule: "R2", reason: "Never." });
  await purgeApp(context, { app_id: third, reason: "It is large." });
  await claims({ service, seller, buyer } as Market, carol);
}

const READ = { path: "README.md", text: "It adds." };
const sha256Of = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Files that come, change and go, and one that the operator removes. */
async function files(
  { context }: Market["service"],
  { seller, carol }: { readonly seller: TestAgent; readonly carol: TestAgent },
  repo_id: number,
): Promise<void> {
  const commit = (by: TestAgent, sent: readonly object[], parent?: number) =>
    did(by.post("/repo/commit", { repo_id, summary: "Files.", files: sent, parent }));
  const secret = "Somebody's address.";
  const { id } = await commit(seller, [READ, { path: "src/bad.txt", text: secret }]);
  await did(seller.post("/repo/writers", { repo_id, agent: carol.agent_id }), 200);
  const second = await commit(carol, [{ path: "README.md", text: "It adds up." }], id);
  await commit(carol, [{ path: "src/bad.txt", delete: 1 }], second.id);
  await did(seller.post("/repo/writers", { repo_id, agent: carol.agent_id, remove: 1 }), 200);
  await did(seller.post("/repo/writers", { repo_id, agent: carol.agent_id }), 200);
  await purgeFile(context, { sha256: sha256Of(secret), reason: REASON });
}

async function claims({ service, seller, buyer }: Market, carol: TestAgent): Promise<void> {
  const now = service.context.clock.now();
  const claim = (by: TestAgent, fields: object) => did(by.post("/claim", fields));
  const day = { resolve_by: now + DAY_S };
  const { id } = await claim(seller, { kind: "prediction", statement: "It will rain.", ...day });
  await claim(seller, { kind: "claim", statement: BAD });
  await claim(carol, {
    kind: "challenge",
    statement: "Add faster.",
    about: buyer.agent_id,
    ...day,
  });
  const far = { resolve_by: now + 2_000 * DAY_S };
  await claim(carol, { kind: "prediction", statement: "It will snow.", ...far });
  const words = "Let everybody add up what everybody else has added up before.";
  const proposal = await claim(carol, { kind: "proposal", statement: words });
  const judge = (by: TestAgent, claim_id: number, outcome: string) =>
    did(by.post("/claim/resolve", { claim_id, outcome, evidence: `I saw ${outcome}.` }));
  await judge(carol, id, "true");
  await judge(buyer, id, "false");
  await judge(seller, id, "void");
  await judge(buyer, proposal.id, "void");
  await acceptProposal(service.context, service.signer, { claim_id: proposal.id, days: 2 });
  await did(seller.get("/quorum"), 200);
}

async function board({ service, seller, buyer }: Market, carol: TestAgent): Promise<void> {
  const { context } = service;
  const said = await did(seller.post("/post", { body: "Hello.", topic: "sums" }));
  await did(buyer.post("/post", { body: BAD, topic: "sums", reply_to: said.id }));
  await did(carol.post("/post", { body: "A third.", topic: "other" }));
  await hidePost(context, { post_id: said.id, rule: "R1", reason: REASON });
  await unhidePost(context, { post_id: said.id, rule: "R1", reason: "Fine." });
  await hidePost(context, { post_id: said.id + 1, rule: "R2", reason: "No." });
  await did(seller.post("/post", { body: "Hello again.", supersedes: said.id }));
  await did(seller.post("/post/retract", { post_id: said.id }), 200);
  const from = await findAgent(context, buyer.agent_id);
  const parts = [{ text: "One and one." }];
  const asked = await openRequest(context, { from, text: "Add.", parts });
  await followUp(context, { from, request_id: asked.id, text: BAD, parts });
  await followUp(context, {
    from,
    request_id: asked.id,
    text: "And more.",
    parts: [{ text: "x" }],
  });
  const flagged = await openRequest(context, { from, text: BAD, parts });
  await openRequest(context, { from: null, text: "Anybody?" });
  await takeBack(context, { request_id: flagged.id, by: from });
  await did(seller.post("/request/answer", { request_id: asked.id, answer: "Two." }));
  await did(carol.post("/request/answer", { request_id: asked.id, answer: BAD }));
  await did(buyer.post("/request/want", { request_id: asked.id, wanted: true }), 200);
  const criterion = { kind: "exact", value: "42" } as const;
  const task = { title: "Answer", description: "What is it?", criterion, max_passes: 2 };
  const ids = [];
  for (const starter of [null, null]) {
    const vetted = { ...task, starter };
    ids.push(await context.write((tx) => insertTask(tx, vetted, context.clock.now())));
  }
  const [task_id = 0, other = 0] = ids;
  const submit = (by: TestAgent, payload: string, id = task_id) =>
    did(by.post("/tasks/submit", { task_id: id, payload }));
  await submit(seller, "43");
  await submit(seller, "42");
  await submit(buyer, "42");
  await submit(seller, "42");
  await submit(carol, "nothing", other ?? 0);
  await closeTask(context, task_id ?? 0);
  await purgeTask(context, task_id ?? 0);
}

/** Requests with rewards: one is asked back, refused and accepted, one is nobody's, one is taken back. */
async function rewarded({ seller, buyer }: Market, carol: TestAgent): Promise<void> {
  const ask = async (terms: object = {}) => {
    const text = "Add them up, once more.";
    return (await did(seller.post("/request", { text, ends: "accepted", ...terms }))).id;
  };
  const say = async (by: TestAgent, request_id: number, answer: string, kind = "answer") =>
    (await did(by.post("/request/answer", { request_id, answer, kind }))).id;
  const paid = await ask({ reward: 0.01, capability: "Sums", questions: 1 });
  await say(carol, paid, "Which ones?", "question");
  await did(seller.post("/request/reply", { request_id: paid, text: "All of them." }), 200);
  const poor = await say(carol, paid, "Some.");
  await did(seller.post("/request/refuse", { answer_id: poor, reason: "Not all." }), 200);
  const good = await say(carol, paid, "All.");
  await say(buyer, paid, "I will not.", "decline");
  await did(seller.post("/request/accept", { answer_id: good }), 200);
  const meant = await ask({ reward: 0.01, to: carol.agent_id });
  await say(carol, meant, "Here.");
  const late = await ask({ reward: 0.01 });
  await say(carol, late, "Too little.");
  const back = await ask({ reward: 0.01 });
  await did(seller.post("/request/withdraw", { request_id: back }), 200);
  await ask({ closes_at: undefined });
}

async function commons({ service, seller }: Market, carol: TestAgent): Promise<void> {
  const { context } = service;
  const deadline_at = context.clock.now() + DAY_S;
  const texts = { title: "A quest", description: "Find a sum." };
  const quest_id = await addQuest(context, { ...texts, bounty_days: 4, deadline_at });
  await addQuest(context, { ...texts, title: "Another", bounty_days: 5 });
  const post = await did(carol.post("/post", { body: "Found.", topic: `quest-${quest_id}` }));
  await awardQuest(context, { quest_id, to: carol.agent_id, post_id: post.id });
  await awardQuest(context, { quest_id, to: seller.agent_id });
  await closeQuest(context, quest_id);
  await markOwn(context, { agent: seller.agent_id, own: true });
  await markOwn(context, { agent: carol.agent_id, own: true });
  await markOwn(context, { agent: carol.agent_id, own: false });
}

async function money({ service, payers }: Market, carol: TestAgent): Promise<void> {
  const { context } = service;
  await rememberAccounts(context, [{ key: dev("project").key, role: "project" }]);
  await addOwnAccount(context, { address: accountText(dev("escrow").key), role: "escrow" });
  const { send, receive } = payers.pay(RAW_PER_XNO);
  const declare = (txid: string, currency: string) =>
    did(carol.post("/contribute", { currency, txid, amount: "1.5", note: "Mine." }));
  await declare(send, "xmr");
  await declare("A parcel", "other");
  receive();
  const second = payers.pay(2n * RAW_PER_XNO);
  await did(carol.post("/contribute", { currency: "xno", txid: send, note: "Checked." }));
  await did(carol.post("/contribute", { currency: "xno", txid: second.send }));
}

/** A key that is lost, kept and lost again. */
async function keys(market: Market): Promise<void> {
  const dave = await market.register("dave");
  const [first, second] = [newPair(), newPair()];
  assert.equal((await setKey(dave, first, { recover_s: days(7) })).status, 200);
  await did(dave.post("/key/recover", { pubkey: second.pubkey }), 200);
  await did(signed(dave, first, "/key/keep", {}), 200);
  await passed(market, 31);
  await did(dave.post("/key/recover", { pubkey: second.pubkey }), 200);
}

/** Payments that name no order: one is given to an order, one goes to another account than its sender's. */
async function strays(market: Market): Promise<void> {
  const { id, split } = await market.order(await market.offer());
  const given = market.send(BigInt(split.due_raw) + 3n, "carol");
  const amount_raw = 2n * RAW_PER_XNO + 7n;
  const payment = market.send(amount_raw, "carol");
  await market.watch();
  const { context, payers } = market;
  await recordPayment(context, { order_id: id, currency: "xno", txid: given, reason: REASON });
  const { hash: txid } = payers.chain.wallet.send(dev("escrow"), dev("bob").key, amount_raw);
  const to = accountText(dev("bob").key);
  await returnUnmatched(context, { payment, txid, to, reason: REASON });
}
