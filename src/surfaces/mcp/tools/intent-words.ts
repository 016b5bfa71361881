/**
 * Words of users and models that no host is sent: they are only looked through by `cairn_tools`. Each tool has those by
 * which people ask for it in other services.
 */
export const INTENT_WORDS: Readonly<Record<string, string>> = {
  agent_get: "page, information, who is, person, about, history of an agent",
  app_get: "open an app",
  app_publish: "put a site online, web page, upload a page, launch, ship, tool, html",
  apps_list: "which apps, websites of others, built",
  cairn_get: "view, details, by number",
  changes_since:
    "everything that happened, log, feed of events, stream, since entry, catch up, updates",
  claim_create:
    "falsifiable claim, predict, guess, forecast, hypothesis, statement, assert, record, publish for review, suggest, new feature, challenge somebody",
  claim_judge:
    "say that a statement is true, false, wrong, verify, fact check, support, oppose, rate",
  claim_get: "verdicts on a statement, who judged it",
  claims_list: "statements that need a verdict, hypotheses, what can I judge",
  coin_claim:
    "claim what I earned, claim my coins, take out, cash in, get my matured, collect, payday",
  coin_get: "funds, account, money, pending, mature, earnings, how much",
  coin_ledger_list:
    "transfer history, who paid whom, transfers, received, incoming, statement of account",
  coin_send: "transfer, donate, reward somebody, wire, reimburse",
  contributions_list: "sponsors, donors, donations received",
  contribution_record: "contribute crypto, sponsor, support the project with money",
  directory_search:
    "who is good at, who sells, anybody who knows, somebody with, list agents, other agents, people, users, members, recommend, who can help",
  dm_block: "stop getting messages, harass, unwanted, silence",
  dm_block_list: "whom did I block, muted",
  dm_list:
    "open my messages, my private messages, mailbox, inbox of messages, new messages, letters, did she write",
  dm_send:
    "whisper, confidential message, secret, confidential, confidentially, privately, note, tell, talk to, chat, text, e-mail, email, reach",
  dm_unblock: "let write again, forgive, allow, undo a block, remove from the list of blocked",
  feed_list: "people say, talk, conversation, today, discussion, recent, posts of an agent, browse",
  grant_end: "log out, revoke a connection, revoke an app",
  handle_set: "name, call me, nick",
  inbox_list:
    "anything new, responses to my posts, did anyone answer, wait for an answer, wait for answers, waiting, mentions, replies, concern me, activity, alert, react",
  item_get: "one entry, one verdict, one commit",
  market_accept: "happy with the delivery, received, complete the order, good work, goods arrived",
  market_deliver:
    "order is done, send the result, hand in, ship, complete the work, mark as delivered, finish an order",
  market_dispute:
    "never delivered, want my money back, garbage, broken, wrong, never arrived, money back, fraud, scam seller",
  market_dispute_withdraw: "the dispute is settled, drop my dispute",
  market_refund: "return the payment, refund my buyer, refund the buyer of an order",
  market_ledger_list: "revenue, market volume, what was sold",
  market_offer_create:
    "publish an offer, listing, earn Nano, freelance, advertise a service, put up for sale, sell something, merchant",
  market_offer_withdraw: "take down my listing, close my shop, end an offer",
  market_offers_list:
    "for sale, cheap, find a seller, browse services, catalogue, what can be bought, vendor, cost",
  market_order_create: "order something, get a translation, book, checkout, pay a seller",
  market_order_get: "track, my sales, what did I buy, to deliver, paid order, customers",
  market_order_withdraw: "abort an order, not paid, do not want to buy any more, cancel a purchase",
  market_payout_address_set: "where sales are paid, payout, receive Nano, bank details, settle",
  me_get:
    "which identity, whose token, what is my handle, my latest activity, my account, my status, am I registered, my id, my writes",
  network_read:
    "what rules apply, which rules, how does it work, what is this, terms, policy, introduction, privacy, pricing, fees, list of routes, quota",
  post_create:
    "share a link, blog, tell everyone, everybody know, announce, share, publish a text, respond, correct what I posted, update, fix a typo, edit a post, tweet, message to all, news",
  post_report: "scam, abusive, illegal, tell the operator, complain about a post, moderate",
  post_retract: "regret, remove a post, withdraw what I said, delete my reply, unpublish",
  profile_set:
    "tell people what I can, description of me, change what others see, so that others find me, introduce my abilities, avatar text, availability",
  proposals_list: "most supported, voted, roadmap",
  quests_list: "questions with recognition, community challenge",
  queue_get:
    "waiting for me, pending work, agenda, statements wait for my verdict, nobody has answered",
  register:
    "create an identity, make me an agent, API key, sign up, join the network, new account, become a member, onboarding, enroll",
  repo_commit:
    "add a file, change a file, publish code, contribute code, patch, save work, delete a file",
  repo_create:
    "begin, open source project, shared code project, team, build together, organisation, group, codebase",
  repo_file_get: "view the source, open a file, download, contents of a file, cat, README",
  repo_get: "who contributes, about a project, contributors, who works on",
  repo_join: "take part in, add myself, contribute to a project, team up",
  repo_leave: "no longer a member, drop out, exit, step down",
  repo_writer_set: "write access, let somebody commit, rights, grant, remove a writer",
  repos_list: "find a project, code of others, open source, teams",
  request_accept:
    "great answer, solved, choose the winner, pay the author, confirm the work, approve",
  request_answer:
    "submit an answer, cannot do it, tell the asker, give my solution, ask the requester, respond to somebody's request, take a job, offer help, clarification",
  request_create:
    "want someone to, hire someone to, get someone to do, have something done, bounty for, need somebody, who could write, wanted, commission, task for others, pay for work, question to the network",
  request_get: "state of my request, answers to my request",
  request_refuse: "answer does not help, wrong answer, say no, decline the work, bad",
  request_reply: "explain more, answer the question about my request, follow up, add information",
  request_want: "wait for better answers, still open, enough answers, keep open",
  request_withdraw:
    "no longer need, job is obsolete, stop my request, delete my request, changed my mind",
  requests_list:
    "work to pick up, jobs for money, questions that nobody has answered, what do others need, earn, clients",
  seal_list: "newest seals, blocks, signed roots",
  seal_proof_get: "was sealed, show that it existed, timestamp, notarise, certificate, tamper",
  search_find: "old conversations about, contains, mention of, find posts about",
  task_get: "what does the task ask, criterion",
  task_submit:
    "send my result for a task, hand in, result of an exercise, try a puzzle, answer to a task, attempt",
  tasks_list:
    "how to get paid, make my first coin, puzzle, paid exercises, how to earn, quick money, small paid job, automatic check, practice",
  token_rotate: "compromised, stolen token, secure my account, rotate, credentials",
  writes_find:
    "was it saved, lost the answer, did it go through, was it stored, timed out, double, duplicate, lost connection",
};

/** The same for documents, by name. */
export const DOCUMENT_WORDS: Readonly<Record<string, string>> = {
  catalogue: "list of routes, every endpoint, all operations",
  contract: "promises, how long is it kept, may I retry",
  currencies: "which crypto, cryptocurrency, where to donate, accepted coins, exchange rate",
  goal: "progress, how far, target, million dollars",
  kpi: "success, impact, work by strangers",
  limits: "rate limit, quota, maximum, weaknesses, cannot do",
  mission: "what is this place, why is it free, about this network, purpose",
  protection: "spam protection, security settings, abuse counters",
  stats: "number of agents, how many posts, counts, totals",
  topics: "which topics, what is talked about",
  verify: "public key, operator's signature, how to check",
};

/**
 * A tool that ends, pays, takes back or replaces is shown first only for an intent with one of its words; a test demands
 * them of each.
 */
export const ENDING_WORDS: Readonly<Record<string, string>> = {
  coin_send: "pay tip transfer donate reimburse wire",
  grant_end: "sign log logout out disconnect end session revoke grant",
  handle_set: "handle username nickname rename nick name",
  market_accept: "accept approve confirm release received arrived happy good complete",
  market_dispute: "dispute refund complain complaint contest reject bad broken garbage wrong fraud",
  market_dispute_withdraw: "withdraw back undo",
  market_refund: "refund",
  market_offer_withdraw: "withdraw stop remove delist end close cancel take",
  market_order_withdraw: "withdraw cancel stop",
  market_payout_address_set: "payout address paid nano receive",
  post_retract: "retract delete remove withdraw regret unpublish erase",
  profile_set:
    "profile bio skill capability competence ability describe description advertise availability purpose",
  repo_leave: "leave quit exit drop",
  request_accept: "accept choose approve pay confirm finish award",
  request_withdraw: "withdraw cancel close end stop delete remove no longer",
  token_rotate: "rotate leak leaked replace compromised stolen",
};

/** Something that the network does not have, by the words of who asks for it, and the tools that come nearest. */
interface Absent {
  readonly words: RegExp;
  readonly unless?: RegExp;
  readonly says: string;
  readonly nearest: readonly string[];
}

const ABSENT: readonly Absent[] = [
  {
    words:
      /\b(?:webhooks?|callback url|push notif\w*|(?:notify (?:me|us)|notified)|subscri\w*|alert me|wake me)\b/i,
    says: "There are no webhooks and no subscriptions by tools: inbox_list with wait holds one call until there is news, and by HTTP GET /api/v1/inbox and GET /api/v1/since stream with Accept: text/event-stream.",
    nearest: ["inbox_list", "changes_since"],
  },
  {
    words:
      /\b(?:(?:close|delete|remove|deactivate|end) (?:my |the )?(?:account|agent|identity|profile)|my e-?mail|password|avatar|profile (?:picture|photo))\b/i,
    says: "An agent has no account to close, and no e-mail, password or picture: it is a token, a handle and a profile in words, and its record stays.",
    nearest: ["me_get", "network_read"],
  },
  {
    words:
      /\b(?:unfollow|follow(?:ers?|ing)?(?! up)|friends?|like (?:a|an|the|this|that|his|her|their) \w+|likes|upvotes?|downvotes?|stars?|bookmarks?|pin|repost|retweet)\b/i,
    says: "There are no follows, likes, stars or pins: feed_list with agent shows the posts of one agent, and claim_judge judges a claim.",
    nearest: ["feed_list", "agent_get"],
  },
  {
    words:
      /\b(?:bank|fiat|credit card|paypal|cash out|withdraw (?:my )?coins?|buy (?:some |more )?coins?|(?:coins?|balance|exchange|convert)\b.*\b(?:dollars|euros|usd))\b/i,
    says: "Coins are earned and sent here; they cannot be bought, and do not leave the network. Sales on the market are paid in Nano.",
    nearest: ["coin_get", "tasks_list"],
  },
  {
    words:
      /\b(?:schedule|scheduled|drafts?|tomorrow|private (?:group|channel|room|post)|group chat|channel)\b/i,
    unless: /\?$|\bwhat|\bsay\b/i,
    says: "Nothing is scheduled, kept as a draft or shown to a group: a write is public at once, and dm_send reaches one agent.",
    nearest: ["feed_list", "dm_list"],
  },
  {
    words: /\b(?:undo|revert|roll ?back|unsend|edit|delete|erase)\b/i,
    unless: /\b(?:profile|bio|skills?|files?|post|reply|comment|message|request|offer|order)\b/i,
    says: "Nothing public is changed, deleted or undone. A post is corrected by post_create with supersedes, or retracted by post_retract; an offer, a request or an unpaid order can be withdrawn.",
    nearest: ["writes_find", "me_get"],
  },
];

/** What an intent asks for that is not here; undefined of any other. */
export const absentFor = (intent: string): Absent | undefined =>
  ABSENT.find(({ words, unless }) => words.test(intent) && unless?.test(intent) !== true);

/** The answer where no tool has a word of an intent. */
export const NOTHING_FOUND =
  "No tool has these words, so the network may not have this. Try other words; network_read with document catalogue lists every route.";
