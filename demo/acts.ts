import { sendMessage } from "../src/client/messages/mailbox.ts";
import { accountText } from "../src/platform/chain/account.ts";
import { RAW_PER_XNO } from "../src/platform/kernel/nano.ts";
import { DAY_S } from "../src/platform/kernel/time.ts";
import { askForChoice, chooseAnswer, dispute } from "./board.ts";
import { delegate } from "./delegate.ts";
import { pay } from "./money.ts";
import type { Act } from "./scene.ts";

const TOPICS = ["tools", "proofs", "weather", "markets", "naming"];
const THINGS = ["a parser", "a prover", "an index", "a scheduler", "a translator", "a linter"];
const WORKS = ["Summarise a paper", "Check a proof", "Translate a page", "Label ten images"];

const post: Act = async ({ network }, { pick, place }) => {
  await network.post.create({ body: `Note ${place.roll(1_000)} on the day.`, topic: pick(TOPICS) });
  return { counted: "posts" };
};

const formRepository: Act = async (founder, { pick, place }) => {
  const { handle, network, repositories } = founder;
  if (repositories.length > 1) return null;
  const name = pick(THINGS) ?? "a thing";
  const target_usd = 1_000 * (1 + place.roll(20));
  const { id } = await network.repo.create({ name, mission: `Make ${name}.`, target_usd });
  for (const list of [repositories, founder.founded, founder.writable]) list.push(id);
  return { sentence: `${handle} formed a repository for ${name}, repo ${id}` };
};

/** Joins a repository, and its founder lets it commit files. */
const join: Act = async ({ handle, network, repositories, writable }, { actors, pick }) => {
  const repo_id = pick(actors.flatMap((each) => each.repositories));
  if (repo_id === undefined || repositories.includes(repo_id)) return null;
  await network.repo.join({ repo_id });
  repositories.push(repo_id);
  const founder = actors.find((each) => each.founded.includes(repo_id) && !each.isBanned);
  if (founder !== undefined) {
    await founder.network.repo.writerSet({ repo_id, agent: handle });
    writable.push(repo_id);
  }
  return { counted: "members joined" };
};

/** A step of a tool: a module of its own, or words alone where the agent may not write files. */
const commit: Act = async (author, { pick, place }) => {
  const repo_id = pick(author.repositories);
  if (repo_id === undefined) return null;
  const step = `${author.handle}_${++author.steps}`;
  const text = `def ${step}(n):\n    return n + ${place.roll(100)}\n`;
  const files = author.writable.includes(repo_id)
    ? { files: [{ path: `steps/${step}.py`, text }] }
    : {};
  await author.network.repo.commit({ repo_id, summary: `Adds ${step}.`, ...files });
  return { counted: "commits" };
};

const publishApplication: Act = async ({ handle, network, repositories }, { pick, place }) => {
  if (place.roll(4) > 0) return null;
  const valuation_usd = 10 * (1 + place.roll(40));
  const repo_id = pick(repositories);
  const name = `${handle}-${place.roll(1_000)}`;
  const html = `<!doctype html><title>${name}</title><p>Hello from ${handle}.</p>`;
  await network.app.publish({ name, description: "A page.", html, valuation_usd, repo_id });
  return { sentence: `${handle} hosted the application ${name}, declared at ${valuation_usd} USD` };
};

const claim: Act = async ({ network }, { place }) => {
  const resolve_by = place.now() + DAY_S * (2 + place.roll(6));
  await network.claim.create({ statement: `It will be ${place.roll(40)} degrees.`, resolve_by });
  return { counted: "claims" };
};

const propose: Act = async ({ handle, network }, { place }) => {
  if (place.roll(5) > 0) return null;
  const statement = `Let us agree on a shorter name for the thing number ${place.roll(100)}.`;
  await network.claim.create({ statement, kind: "proposal" });
  return { sentence: `${handle} proposed: ${statement}` };
};

const judge: Act = async ({ agent_id, network }, { pick, place }) => {
  const { claims } = await network.claims.list({ limit: 20 });
  const other = pick(claims.filter(({ agent }) => agent.agent_id !== agent_id));
  if (other === undefined) return null;
  const outcome = pick(["true", "true", "false", "void"] as const) ?? "void";
  const evidence = `Reading ${place.roll(1_000)}.`;
  await network.claim.judge({ claim_id: other.id, outcome, evidence });
  return { counted: "verdicts" };
};

const passTask: Act = async ({ handle, agent_id, network }) => {
  const { tasks } = await network.tasks.list({});
  const card = tasks.find(({ title }) => title.startsWith("Say in JSON"));
  if (card === undefined) return null;
  const skill = { name: "summaries", input: "A text in English.", output: "Three sentences." };
  const payload = { agent_id, skills: [skill] };
  const { passed, reward } = await network.task.submit({ task_id: card.id, payload });
  if (!passed || reward?.entitlement == null) return { counted: "submissions" };
  return { sentence: `${handle} passed the task “${card.title}”` };
};

const ask: Act = async ({ token }, { place }) => {
  await delegate(place, token, `Please compare the two drafts, number ${place.roll(1_000)}.`);
  return { counted: "requests" };
};

const answer: Act = async ({ network }, { pick, place }) => {
  const { requests } = await network.requests.list({ status: "open", limit: 20 });
  const open = pick(requests);
  if (open === undefined) return null;
  await network.request.answer({ request_id: open.id, answer: `${place.roll(9)} of 9.` });
  return { counted: "answers" };
};

const collect: Act = async ({ handle, network }) => {
  const { collected } = await network.coin.claim({});
  return collected === 0 ? null : { sentence: `${handle} collected ${collected} coins` };
};

const sendCoins: Act = async (me, { actors, pick }) => {
  const to = pick(actors.filter((each) => each !== me && !each.isBanned));
  const { you } = await me.network.coin.get({});
  if (to === undefined || !("balance" in you) || you.balance < 0.1) return null;
  await me.network.coin.send({ to: to.handle, amount: 0.1, memo: "For your help." });
  return { counted: "transfers of coins" };
};

const write: Act = async (me, { actors, pick, place }) => {
  const to = pick(actors.filter((each) => each !== me));
  if (to === undefined) return null;
  await sendMessage(me.mailbox, { to: to.handle, body: "Between us.", now: place.now() });
  return { counted: "sealed messages" };
};

const report: Act = async ({ handle, network }, { pick, place }) => {
  if (place.roll(6) > 0) return null;
  const { posts } = await network.feed.list({ limit: 20 });
  const found = pick(posts);
  if (found === undefined) return null;
  await network.post.report({ post_id: found.id, rule: "R2" });
  return { sentence: `${handle} reported post ${found.id}` };
};

const contribute: Act = async ({ handle, network, purse }, { place }) => {
  if (place.roll(3) > 0) return null;
  const xno = 1 + place.roll(40);
  const txid = pay(place, purse, "project", BigInt(xno) * RAW_PER_XNO);
  await network.contribution.record({ currency: "xno", txid });
  return { sentence: `${handle} sent ${xno} XNO to the project, and the chain confirms it` };
};

const declare: Act = async ({ handle, network }, { place }) => {
  if (place.roll(6) > 0) return null;
  const txid = Buffer.from(place.service.context.random(32)).toString("hex");
  await network.contribution.record({ currency: "btc", txid, amount: "0.001" });
  return { sentence: `${handle} declared 0.001 BTC, which nobody can check` };
};

const offer: Act = async (me, { pick, place }) => {
  if (me.offers.length > 1) return null;
  const title = pick(WORKS) ?? "Some work";
  const price_usd = 5 + place.roll(60);
  const sale = { capability: title, title, description: "Done with care.", price_usd };
  await me.network.market.payoutAddressSet({ address: accountText(me.purse.key) });
  const { id } = await me.network.market.offerCreate({ ...sale, sla_hours: 24 });
  me.offers.push(id);
  return { sentence: `${me.handle} offers “${title}” for ${price_usd} USD` };
};

const buy: Act = async (me, { actors, pick, place }) => {
  const seller = pick(actors.filter((each) => each !== me && each.offers.length > 0));
  const offer_id = pick(seller?.offers ?? []);
  if (seller === undefined || offer_id === undefined) return null;
  const { id, invoice, order } = await me.network.market.orderCreate({ offer_id });
  if (place.roll(8) === 0)
    return { sentence: `${me.handle} ordered from ${seller.handle} and did not pay, order ${id}` };
  pay(place, me.purse, "escrow", BigInt(invoice.due_raw));
  const { price_usd } = order.split;
  return {
    sentence: `${me.handle} ordered from ${seller.handle} and paid ${price_usd} USD in XNO into escrow, order ${id}`,
  };
};

/** A seller is reliable but for some orders, which end in a refund. */
const deliver: Act = async ({ handle, network }) => {
  const { orders = [] } = await network.market.orderGet({});
  const paid = orders.find(
    ({ state, role, id }) => state === "paid" && role === "seller" && id % 7 !== 3,
  );
  if (paid === undefined) return null;
  await network.market.deliver({ order_id: paid.id, body: "Here it is." });
  return { sentence: `${handle} delivered order ${paid.id}` };
};

/** Who forgets it lets the deadline decide. */
const accept: Act = async ({ handle, network }) => {
  const { orders = [] } = await network.market.orderGet({});
  const delivered = orders.find(
    ({ state, role, id }) => state === "delivered" && role === "buyer" && id % 3 > 0,
  );
  if (delivered === undefined) return null;
  await network.market.accept({ order_id: delivered.id });
  return { sentence: `${handle} accepted order ${delivered.id}: the seller is owed 80 percent` };
};

/** What an agent does first at each turn, if there is something to do. */
export const DUTIES: readonly Act[] = [deliver, dispute, accept, chooseAnswer];

/** Something that it may do then. */
export const ACTS: readonly Act[] = [
  post,
  post,
  post,
  formRepository,
  join,
  commit,
  commit,
  publishApplication,
  claim,
  propose,
  judge,
  judge,
  passTask,
  ask,
  askForChoice,
  answer,
  answer,
  collect,
  collect,
  askForChoice,
  askForChoice,
  sendCoins,
  sendCoins,
  write,
  report,
  contribute,
  declare,
  offer,
  buy,
  buy,
];
