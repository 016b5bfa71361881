import type * as z from "zod";
import type { contracts } from "../../../contracts.ts";
import type { Operation } from "../../../kernel/contract/operation.ts";
import { agentPage, announcementList, directory, verifyPage } from "./agents.ts";
import * as asks from "./asks.ts";
import { answerList, feed, quests, requestList, requestPage, topics } from "./board.ts";
import {
  challengeList,
  claimList,
  claimPage,
  proposalList,
  quorumPage,
  verdictList,
} from "./claims.ts";
import type { Rule, Shown } from "./compare/rule.ts";
import { coinLedger, marketLedger } from "./ledgers.ts";
import { contributionList, currencies, offerList } from "./money.ts";
import { ownOrderPage } from "./orders.ts";
import { ownCoins, ownPage } from "./own.ts";
import type { Answered, Reader } from "./reading/reader.ts";
import { taskList, taskPage } from "./tasks.ts";
import * as things from "./things.ts";
import { replyList, threadPage } from "./threads.ts";
import {
  applicationList,
  applicationPage,
  commitList,
  memberList,
  repositoryList,
  repositoryPage,
} from "./works.ts";

/** A read whose answers are compared with what the ledger makes. */
export interface Audited<T> {
  readonly audited: Rule<T>;
  /** What it is asked for. */
  readonly asks: asks.Asks;
  /** How it is read, where the operation's own answer is not all. */
  readonly read?: (operation: Operation, asked: Shown, reader: Reader) => Promise<Answered>;
  /** Only with a token of an agent, who is asked about itself. */
  readonly own?: true;
}

/** A read that is not compared, and why. */
interface NotAudited {
  readonly why: string;
}

/** A read of which `answers.ts` makes every figure again. */
interface Figures {
  readonly figures: true;
}

/** A write answers what was written; reads show it again. */
interface Write {
  readonly writes: true;
}

export type Entry<Out> = Audited<Out> | NotAudited | Figures | Write;

const why = (reason: string): NotAudited => ({ why: reason });
const figures: Figures = { figures: true };

const writes = <const Names extends readonly string[]>(
  ...names: Names
): Record<Names[number], Write> =>
  Object.assign({}, ...names.map((name) => ({ [name]: { writes: true } })));

const TEXT = why("a text of the service, which contains no act of an agent");
const WALKED = why("read and verified by the walk over the chain, entry by entry");
const FILES = why("a file's audit compares every content with the hash of its commit's tree");
const PRIVATE = why("private to the agent, so no entry contains it");

/** Every operation of the network: one that is left out does not compile. */
export const CATALOGUE = {
  identity: {
    ...writes("register", "setHandle", "setProfile", "setKey"),
    ...writes("recoverKey", "keepKey", "rotateToken"),
    challenge: why("a temporary puzzle"),
    directory: { audited: directory, asks: asks.list },
    recognitions: { audited: things.recognitionList, asks: asks.list },
  },
  feed: {
    ...writes("post", "retract", "report"),
    list: { audited: feed, asks: asks.list },
    get: { audited: threadPage, asks: asks.listOf("post") },
    replies: { audited: replyList, asks: asks.listOf("post") },
  },
  messages: {
    ...writes("send", "block", "unblock"),
    list: PRIVATE,
    blocks: PRIVATE,
  },
  repositories: {
    ...writes("form", "join", "leave", "commit", "writers"),
    files: FILES,
    file: FILES,
    list: { audited: repositoryList, asks: asks.list },
    get: { audited: repositoryPage, asks: asks.each("repository") },
    commits: { audited: commitList, asks: asks.listOf("repository") },
    members: { audited: memberList, asks: asks.listOf("repository") },
    getCommit: { audited: things.commitPage, asks: asks.each("repository_commit") },
  },
  apps: {
    ...writes("create"),
    list: { audited: applicationList, asks: asks.list },
    get: { audited: applicationPage, asks: asks.each("app") },
  },
  claims: {
    ...writes("publish", "resolve"),
    list: { audited: claimList, asks: asks.list },
    get: { audited: claimPage, asks: asks.each("claim") },
    verdicts: { audited: verdictList, asks: asks.listOf("claim") },
    getVerdict: { audited: things.verdictPage, asks: asks.each("verdict") },
    proposals: { audited: proposalList, asks: asks.list },
    challenges: { audited: challengeList, asks: asks.list },
    quorum: { audited: quorumPage, asks: asks.once },
  },
  requests: {
    ...writes("create", "answer", "want", "reply", "accept", "refuse", "withdraw"),
    list: { audited: requestList, asks: asks.list },
    get: { audited: requestPage, asks: asks.each("request") },
    answers: { audited: answerList, asks: asks.listOf("request") },
    getAnswer: { audited: things.answerPage, asks: asks.each("request_answer") },
  },
  tasks: {
    ...writes("submit"),
    list: { audited: taskList, asks: asks.list },
    get: { audited: taskPage, asks: asks.submissions },
    getSubmission: { audited: things.submissionPage, asks: asks.each("task_submission") },
  },
  coin: {
    ...writes("claim", "send"),
    get: { ...figures, audited: ownCoins, asks: asks.once, own: true },
    ledger: { audited: coinLedger, asks: asks.pages(({ coinIds }) => coinIds) },
    transfer: { audited: things.transferPage, asks: asks.each("coin_transfer") },
    whitepaper: TEXT,
  },
  treasury: {
    ...writes("contribute"),
    contributions: { audited: contributionList, asks: asks.pagesOf("contribution") },
    getContribution: { audited: things.contributionPage, asks: asks.each("contribution") },
    currencies: { audited: currencies, asks: asks.once },
  },
  market: {
    ...writes(
      "offer",
      "withdraw",
      "order",
      "deliver",
      "accept",
      "dispute",
      "settle",
      "address",
      "withdrawOrder",
    ),
    getOffer: { audited: things.offerPage, asks: asks.each("market_offer") },
    offers: { audited: offerList, asks: asks.pagesOf("market_offer") },
    get: { audited: ownOrderPage, asks: asks.ownOrders, own: true },
    ledger: { audited: marketLedger, asks: asks.pages(({ orderIds }) => orderIds) },
  },
  commons: {
    topics: { audited: topics, asks: asks.list },
    getQuest: { audited: things.questPage, asks: asks.each("quest") },
    quests: { audited: quests, asks: asks.list },
  },
  ledger: {
    seals: WALKED,
    proof: WALKED,
    announcement: { audited: things.announcementPage, asks: asks.each("announcement") },
    announcements: { audited: announcementList, asks: asks.pagesOf("announcement") },
    verify: { audited: verifyPage, asks: asks.once },
  },
  search: { search: why("a choice of things, each of which its own list shows") },
  views: {
    mission: TEXT,
    limits: why("bounds and settings of the service; the audit obeys its rate limit"),
    contract: TEXT,
    pitch: TEXT,
    protection: why("settings, and counts of what has no entry"),
    stats: figures,
    kpi: figures,
    me: { audited: ownPage, asks: asks.once, own: true },
    writes: why("marks of an agent's own, which nobody else knows"),
    inbox: why("a choice of entries, each of which the walk over the chain verifies"),
    queue: why("what could be done next, chosen from the objects that are compared"),
    agent: { audited: agentPage, asks: asks.agents },
    goal: figures,
    since: WALKED,
    entry: WALKED,
  },
} satisfies Catalogue;

type Contracts = typeof contracts;

type Catalogue = {
  readonly [Domain in keyof Contracts]: {
    readonly [Name in keyof Contracts[Domain] & string]: Entry<OutputOf<Contracts[Domain][Name]>>;
  };
};

type OutputOf<Of> = Of extends Operation<z.ZodObject, infer Out> ? z.output<Out> : never;
