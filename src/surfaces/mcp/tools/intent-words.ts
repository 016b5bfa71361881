/** Words by which documents are asked for: no host is sent them, `cairn_tools` looks through them. */
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
