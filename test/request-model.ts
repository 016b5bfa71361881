import assert from "node:assert/strict";
import { days } from "../src/platform/kernel/time.ts";
import type { CoinModel } from "./coin-model.ts";

interface Answer {
  readonly id: number;
  readonly agent: number;
  readonly at: number;
  state: "waiting" | "refused" | "accepted";
}

interface Request {
  readonly id: number;
  readonly asker: number;
  readonly reward: number;
  readonly closes_at: number;
  /** The agent that it is for. */
  readonly to: number | null;
  readonly answers: Answer[];
  state: "open" | "accepted" | "withdrawn" | "closed";
  deadline_at: number;
}

/** The terms of a request that its asker ends. */
export type Terms = Pick<Request, "reward" | "closes_at" | "to">;

/** Requests with rewards as the words of the design say them. An outcome is `done`, or the code of the refusal. */
export class RequestModel {
  readonly coins: CoinModel;
  readonly requests: Request[] = [];
  answers = 0;

  constructor(coins: CoinModel) {
    this.coins = coins;
  }

  /** The coins that lie with requests. */
  get held(): number {
    return this.open().reduce((sum, { reward }) => sum + reward, 0);
  }

  open = (): Request[] => this.requests.filter(({ state }) => state === "open");

  ask(asker: number, terms: Terms): string {
    const account = this.coins.account(asker);
    if (account.balance < terms.reward) return "insufficient_balance";
    const rewarded = this.open().filter((each) => each.asker === asker && each.reward > 0);
    if (terms.reward > 0 && rewarded.length >= 20) return "too_many_open_requests";
    account.balance -= terms.reward;
    const id = this.requests.length + 1;
    const begun = { state: "open" as const, deadline_at: terms.closes_at };
    this.requests.push({ id, asker, ...terms, answers: [], ...begun });
    return "done";
  }

  answer(request: Request, agent: number, now: number): string {
    const ended = this.ended(request, now);
    if (ended !== null) return ended;
    if (request.answers.some((each) => each.agent === agent && each.state === "waiting"))
      return "already_answered";
    request.answers.push({ id: ++this.answers, agent, at: now, state: "waiting" });
    if (agent === request.to) request.deadline_at = now + days(3);
    return "done";
  }

  accept(request: Request, answer: Answer, now: number): string {
    if (answer.state === "accepted") return "done";
    const ended = this.ended(request, now);
    if (ended !== null) return ended;
    if (answer.state !== "waiting") return "answer_not_found";
    this.pay(request, answer);
    return "done";
  }

  refuse(request: Request, answer: Answer, now: number): string {
    const ended = this.ended(request, now);
    if (ended !== null) return ended;
    if (answer.state !== "waiting") return "answer_not_found";
    answer.state = "refused";
    if (answer.agent === request.to) request.deadline_at = request.closes_at;
    return "done";
  }

  withdraw(request: Request): string {
    if (request.state === "accepted") return "request_ended";
    if (request.state !== "open") return "done";
    if (request.answers.some(({ state }) => state === "waiting")) return "answer_waiting";
    this.giveBack(request, "withdrawn");
    return "done";
  }

  /** The clock; resolves to how many it looks at. */
  pass(now: number): number {
    const due = this.open().filter(({ deadline_at }) => deadline_at <= now);
    for (const request of due) {
      const { to, answers } = request;
      const meant = answers.find(({ agent, state }) => agent === to && state === "waiting");
      if (meant === undefined) this.giveBack(request, "closed");
      else this.pay(request, meant);
    }
    return due.length;
  }

  pay(request: Request, answer: Answer): void {
    assert.equal(request.state, "open", "a reward leaves its request once");
    request.state = "accepted";
    answer.state = "accepted";
    this.coins.account(answer.agent).balance += request.reward;
  }

  giveBack(request: Request, state: "withdrawn" | "closed"): void {
    assert.equal(request.state, "open", "a reward leaves its request once");
    request.state = state;
    this.coins.account(request.asker).balance += request.reward;
  }

  ended({ state, deadline_at }: Request, now: number): string | null {
    if (state === "withdrawn" || state === "closed") return "request_withdrawn";
    return state === "accepted" || now >= deadline_at ? "request_ended" : null;
  }
}
