import assert from "node:assert/strict";
import { appsHandlers } from "../src/domains/apps/handlers.ts";
import { expireOverdue } from "../src/domains/coin/expiry.ts";
import { coinHandlers } from "../src/domains/coin/handlers.ts";
import type { Reward } from "../src/domains/coin/rewards.ts";
import { identityHandlers } from "../src/domains/identity/handlers.ts";
import { addAnswer } from "../src/domains/requests/answering.ts";
import { endOverdueRequests } from "../src/domains/requests/deadlines.ts";
import { requestsHandlers } from "../src/domains/requests/handlers.ts";
import { openRequest } from "../src/domains/requests/intake.ts";
import { acceptAnswer, refuseAnswer } from "../src/domains/requests/judging.ts";
import { tasksHandlers } from "../src/domains/tasks/handlers.ts";
import { insertTask } from "../src/domains/tasks/operator.ts";
import { rulesCheck } from "../src/main/jobs/rules-check.ts";
import type { Agent, ServiceContext } from "../src/platform/context.ts";
import { Rejection } from "../src/platform/kernel/contract/errors.ts";
import { micro } from "../src/platform/kernel/money.ts";
import { DAY_S, days, HOUR_S } from "../src/platform/kernel/time.ts";
import { APP } from "./coin.ts";
import { checkBooks } from "./coin-books.ts";
import { CoinModel } from "./coin-model.ts";
import { newSite, type Site } from "./coin-site.ts";
import { Crash, crashing, momentOf } from "./crashing.ts";
import { times } from "./postgres-store.ts";
import { RequestModel } from "./request-model.ts";
import { START } from "./service.ts";
import { blaming, simulates } from "./simulation.ts";

const OPERATIONS = 1_000;
const AGENTS = 24;

/** Tasks that every agent can pass again and again; the first pass of each earns. */
const TASKS = 3;
const ANSWER = "42";
const TASK = {
  title: "A question",
  description: "Answer it.",
  max_passes: null,
  starter: null,
  criterion: { kind: "exact", value: `${ANSWER}:{agent_id}` },
};

/** The least reward of a request. */
const MINIMUM = 10_000;

/** The answer of an act that can earn, as far as it is compared. */
type Earning = Promise<{ readonly reward: Reward | null }>;

/** What one life came to. */
export interface Lived {
  readonly operations: number;
  readonly seconds: number;
  readonly requests: number;
  /** Requests whose reward an answerer got. */
  readonly paid: number;
}

/** Mulberry32: fast, and the same for the same seed. */
function rolls(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % sides;
  };
}

/** One life of the service: operations in parallel steps, each compared with what the model says. */
class Life {
  readonly model = new CoinModel(AGENTS);
  readonly requests = new RequestModel(this.model);
  readonly agents: Agent[] = [];
  readonly site: Site;
  readonly roll: (sides: number) => number;
  readonly rules = rulesCheck();
  /** When each job ran last, by the network's clock. */
  readonly ran = { closing: START, expiry: START };
  done = 0;

  constructor(site: Site, seed: number) {
    this.site = site;
    this.roll = rolls(seed);
  }

  get context(): ServiceContext {
    return this.site.service.context;
  }

  async register(): Promise<void> {
    const nobody = { ...this.context, agent: null, afterAnswer: () => {} };
    const made = await Promise.all(times(AGENTS, () => identityHandlers.register(nobody, {})));
    for (const [n, { agent_id }] of made.entries())
      this.agents.push({ id: n + 1, agent_id, handle: null });
  }

  /** The operator's. */
  async addTasks(): Promise<void> {
    const now = this.context.clock.now();
    for (let n = 0; n < TASKS; n++) await this.context.write((tx) => insertTask(tx, TASK, now));
  }

  agent(n: number): Agent {
    const agent = this.agents[n];
    assert.ok(agent);
    return agent;
  }

  /** Runs a call and its model; what crashed before its commit is unknown to both, for ever. */
  async attempt<T>(
    call: (context: ServiceContext) => Promise<T>,
    expect: (seen: T | null) => void,
  ) {
    const moment = momentOf(this.roll);
    this.done++;
    try {
      expect(await call(crashing(this.context, moment)));
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
      if (moment === "after_commit") expect(null);
    }
  }

  /** Mostly a new act, else one of a few that all agents do, and some of them again. */
  earn(n: number): Promise<void> {
    const now = this.context.clock.now();
    const task_id = this.roll(6) === 0 ? 1 + this.roll(TASKS) : null;
    let act = `task/${task_id}`;
    return this.attempt(
      (context) =>
        task_id === null
          ? this.publish(context, n, (id) => {
              act = `app/${id}`;
            })
          : this.pass(context, n, task_id),
      (seen) => {
        const why = this.model.earn(n, act, now);
        if (seen !== null) assert.equal(seen.reward?.why, why);
      },
    );
  }

  /** The cheapest act. It tells its id within the write, so that a crash after that hides nothing from the model. */
  publish(context: ServiceContext, n: number, tell: (id: number) => void): Earning {
    const write: ServiceContext["write"] = (body) =>
      context.write(async (tx) => {
        const made = await body(tx);
        if (typeof made === "object" && made !== null && "id" in made) tell(Number(made.id));
        return made;
      });
    const author = { ...context, write, agent: this.agent(n), afterAnswer: () => {} };
    return appsHandlers.create(author, APP);
  }

  pass(context: ServiceContext, n: number, task_id: number): Earning {
    const agent = this.agent(n);
    const { submit } = tasksHandlers(this.site.service.criteria.heavy);
    const text = `${ANSWER}:${agent.agent_id}`;
    const payload = { value: text, text, bytes: text.length };
    return submit({ ...context, agent, afterAnswer: () => {} }, { task_id, payload, dry_run: 0 });
  }

  /** Several acts at once: the day's limit comes soon. */
  async work(n: number): Promise<void> {
    await Promise.all(times(1 + this.roll(5), () => this.earn(n)));
  }

  /** Sometimes twice at once: then one of the two collects. */
  async claim(n: number): Promise<void> {
    const now = this.context.clock.now();
    const matured = this.model.acts(n, now, "matured").sort();
    const collected: string[] = [];
    const call = () =>
      this.attempt(
        (context) =>
          coinHandlers.claim({ ...context, agent: this.agent(n), afterAnswer: () => {} }, {}),
        (seen) => {
          const acts = this.model.claim(n, now);
          if (seen === null) collected.push(...acts);
          else collected.push(...seen.entitlements.map(({ source }) => source));
        },
      );
    await Promise.all(times(1 + this.roll(2), call));
    if (collected.length > 0) assert.deepEqual(collected.sort(), matured);
  }

  send(from: number, to: number): Promise<void> {
    const { balance } = this.model.account(from);
    const near = [balance, balance + 1][this.roll(6)] ?? 1 + this.roll(balance + 1);
    const amount = Math.max(1, near);
    const order = { to: this.agent(to).agent_id, amount: micro<"coin">(amount) };
    return this.attempt(
      async (context) => {
        const sender = { ...context, agent: this.agent(from), afterAnswer: () => {} };
        try {
          return Number((await coinHandlers.send(sender, order)).balance);
        } catch (error) {
          if (error instanceof Rejection) return error.code;
          throw error;
        }
      },
      (seen) => {
        const outcome = this.model.send(from, to, amount);
        const left = this.model.account(from).balance;
        if (seen !== null) assert.equal(seen, outcome === "sent" ? left : outcome);
      },
    );
  }

  /** An operation of an agent on the board: it is done, or refused as the model says. */
  judged(
    n: number,
    call: (context: ServiceContext & { readonly agent: Agent }) => Promise<unknown>,
    outcome: () => string,
  ): Promise<void> {
    return this.attempt(
      async (context) => {
        try {
          await call({ ...context, agent: this.agent(n) });
          return "done";
        } catch (error) {
          if (error instanceof Rejection) return error.code;
          throw error;
        }
      },
      (seen) => {
        const expected = outcome();
        if (seen !== null) assert.equal(seen, expected);
      },
    );
  }

  /** A request whose asker ends it, often with a reward. Few agents ask, so that some reach the bound. */
  ask(): Promise<void> {
    const asker = this.roll(4);
    const { balance } = this.model.account(asker);
    const rewards = [0, MINIMUM, balance, balance + 1, MINIMUM + this.roll(balance + 1)];
    const reward = rewards[this.roll(rewards.length)] ?? 0;
    const terms = {
      reward: reward < MINIMUM ? 0 : reward,
      closes_at: this.context.clock.now() + HOUR_S + this.roll(days(30) - HOUR_S),
      to: this.roll(4) === 0 ? 4 + this.roll(AGENTS - 4) : null,
    };
    const to = terms.to === null ? undefined : this.agent(terms.to).agent_id;
    const sent = { ...terms, to, reward: micro<"coin">(terms.reward) };
    const asked = { text: "A task.", ends: "accepted" as const, ...sent };
    return this.judged(
      asker,
      (context) => openRequest(context, { from: context.agent, ...asked }),
      () => this.requests.ask(asker, terms),
    );
  }

  /** Some request, mostly an open one, is answered, judged or withdrawn; also when it has ended. */
  async judge(): Promise<void> {
    const all = this.roll(4) === 0 ? this.requests.requests : this.requests.open();
    const request = all[this.roll(all.length)];
    if (request === undefined) return this.ask();
    const now = this.context.clock.now();
    const { id: request_id, asker, answers, to } = request;
    const answer = answers[this.roll(answers.length + 1)];
    const kind = this.roll(8);
    if (kind < 4 || answer === undefined) {
      const agent =
        to !== null && this.roll(2) === 0 ? to : (asker + 1 + this.roll(AGENTS - 1)) % AGENTS;
      const sent = { request_id, answer: "The work.", kind: "answer" as const };
      return this.judged(
        agent,
        (context) => addAnswer(context, context.agent, sent),
        () => this.requests.answer(request, agent, now),
      );
    }
    if (kind === 4)
      return this.judged(
        asker,
        (context) =>
          requestsHandlers.withdraw({ ...context, afterAnswer: () => {} }, { request_id }),
        () => this.requests.withdraw(request),
      );
    if (kind === 5)
      return this.judged(
        asker,
        (context) => refuseAnswer(context, context.agent, { answer_id: answer.id, reason: "No." }),
        () => this.requests.refuse(request, answer, now),
      );
    return this.judged(
      asker,
      (context) => acceptAnswer(context, context.agent, answer.id),
      () => this.requests.accept(request, answer, now),
    );
  }

  /** What the board does, one operation after the other: the ids of rows follow. */
  async board(): Promise<void> {
    for (let n = this.roll(16); n > 0; n--) await (this.roll(3) === 0 ? this.ask() : this.judge());
  }

  async close(): Promise<void> {
    const now = this.context.clock.now();
    this.ran.closing = now;
    assert.equal(await endOverdueRequests(this.context), this.requests.pass(now));
    this.done++;
  }

  /** Operations of different agents at once: they share a commit, and their order changes nothing. */
  async step(): Promise<void> {
    const free = times(AGENTS, (n) => n);
    const take = () => free.splice(this.roll(free.length), 1)[0] ?? 0;
    const calls: Promise<void>[] = [];
    while (free.length >= 2) {
      const kind = this.roll(8);
      if (kind < 3) calls.push(this.work(take()));
      else if (kind < 5) calls.push(this.claim(take()));
      else calls.push(this.send(take(), take()));
    }
    await Promise.all(calls);
  }

  async expire(): Promise<void> {
    const now = this.context.clock.now();
    this.ran.expiry = now;
    const expired = await expireOverdue(this.context);
    assert.equal(expired, this.model.expire(now));
    this.done++;
  }

  /** No job is ever two days late while the service runs; a longer jump is a service that did not. */
  async catchUp(): Promise<void> {
    const yesterday = this.context.clock.now() - DAY_S;
    if (this.ran.closing < yesterday) await this.close();
    if (this.ran.expiry < yesterday) await this.expire();
  }

  /** Forwards by hours, days or weeks, and at times back: the network's clock then stands still. */
  jump(): void {
    const kind = this.roll(10);
    const before = this.context.clock.now();
    if (kind === 0) this.site.clock.shown -= this.roll(30 * DAY_S);
    else if (kind === 1) this.site.clock.shown += this.roll(25 * DAY_S);
    else if (kind < 5) this.site.clock.shown = Math.max(before, this.turningPoint());
    else if (kind < 7) this.site.clock.shown += this.roll(2 * DAY_S);
    if (this.site.clock.shown >= before)
      assert.equal(this.context.clock.now(), this.site.clock.shown);
    this.done++;
  }

  /** The second in which somebody's oldest entitlement matures or expires, or one beside it. */
  turningPoint(): number {
    const { live } = this.model.account(this.roll(AGENTS));
    const [granted_at = 0] = live.values();
    return granted_at + days(20 + 20 * this.roll(2)) + this.roll(3) - 1;
  }

  async restart(): Promise<void> {
    await this.site.reopen();
    await this.checkRules();
    this.done++;
  }

  /** Everything that an agent and the public are shown is what the model says. */
  async compare(): Promise<void> {
    const now = this.context.clock.now();
    const overview = (agent: Agent | null) =>
      coinHandlers.get({ ...this.context, agent, afterAnswer: () => {} }, {});
    const { supply } = await overview(null);
    const { held } = this.requests;
    const owned = this.model.accounts.reduce((sum, { balance }) => sum + balance, 0);
    const circulating = owned + held;
    assert.deepEqual(
      [supply.circulating, supply.reward_pool_available, supply.pending_entitlements].map(Number),
      [circulating, this.model.pool, this.model.reserved],
    );
    assert.deepEqual([supply.held_by_requests, supply.unallocated].map(Number), [held, 0]);
    assert.equal(circulating + this.model.pool + this.model.reserved, 50_000_000_000_000);
    for (const [n, account] of this.model.accounts.entries()) {
      const { you } = await overview(this.agent(n));
      assert.ok("balance" in you);
      const worth = (state: "pending" | "matured" | "expired") =>
        this.model.acts(n, now, state).length * 100_000;
      assert.deepEqual(
        [you.balance, you.pending, you.matured, you.credited_total, you.expired_total].map(Number),
        [
          account.balance,
          worth("pending"),
          worth("matured"),
          account.credited,
          account.expired + worth("expired"),
        ],
      );
      assert.equal(you.rewards_today, account.perDay.get(Math.floor(now / DAY_S)) ?? 0);
    }
  }

  /** Every entry since the last look was allowed, and nothing is owed for long. */
  async checkRules(): Promise<void> {
    const { read } = this.context;
    assert.deepEqual(await this.rules.run({ read, yieldToRequests: async () => {} }), []);
  }

  async run(): Promise<void> {
    await this.register();
    await this.addTasks();
    while (this.done < OPERATIONS) {
      await this.step();
      await this.board();
      await this.catchUp();
      this.jump();
      if (this.roll(3) === 0) await this.close();
      if (this.roll(3) === 0) await this.expire();
      if (this.roll(16) === 0) await this.restart();
      if (this.roll(8) === 0) await this.compare();
    }
    await this.compare();
    await this.checkRules();
    await checkBooks(this.context);
  }
}

async function live(seed: number): Promise<Lived> {
  const site = await newSite(seed);
  try {
    const life = new Life(site, seed);
    await life.run();
    const { done: operations, context, requests } = life;
    const ends = Object.groupBy(requests.requests, ({ state }) => state);
    const paid = ends.accepted?.filter(({ reward }) => reward > 0).length ?? 0;
    const seconds = context.clock.now() - START;
    return { operations, seconds, requests: requests.requests.length, paid };
  } finally {
    await site.close();
  }
}

simulates(async (seeds) => {
  const lived: Lived[] = [];
  for (const seed of seeds) lived.push(await blaming(seed, live(Number(seed))));
  return lived;
});
