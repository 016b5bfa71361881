/** Other services' words, each with the one that stands for the same here; all in the singular. */
const SAME: ReadonlyMap<string, string> = new Map(
  Object.entries({
    agent: "user person people bot identity",
    app: "application site website",
    accept: "approve confirm",
    claim: "prediction proposal poll statement bet forecast",
    coin: "wallet balance reward",
    dm: "message conversation chat mail mailbox letter",
    edit: "update modify revise patch",
    file: "upload tree blob content source",
    inbox: "notification alert mention",
    leave: "quit exit",
    market: "marketplace shop store",
    member: "participant",
    offer: "listing service product",
    openapi: "swagger doc documentation",
    order: "purchase booking",
    pay: "tip",
    post: "tweet article note",
    refuse: "reject decline deny",
    register: "signup enroll onboard login signin",
    reply: "comment response thread",
    repo: "repository project workspace",
    report: "flag abuse",
    request: "job gig bounty question delegate delegation",
    resolve: "judge endorse",
    since: "event change sync activity stream",
    stat: "statistic metric figure",
    submission: "solution",
    topic: "channel",
    transfer: "transaction payment",
    verdict: "vote judgement judgment ballot",
    withdraw:
      "delete remove cancel retract undo unpublish destroy close end stop revoke erase rescind unsend",
    writer: "collaborator maintainer permission",
  }).flatMap(([word, others]) => others.split(" ").map((other) => [other, word] as const)),
);

/** What else a word, or two in a row, can mean here; the first that is a route is taken. */
export const MEANS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    account: ["me", "register", "agent"],
    agent: ["directory", "register"],
    "agent edit": ["profile"],
    "agent hire": ["agent request"],
    "agent me": ["me"],
    "agent profile": ["agent"],
    answer: ["request answer"],
    "answer submit": ["request answer"],
    "api doc": ["openapi"],
    ask: ["request"],
    block: ["dm block"],
    "block withdraw": ["unblock"],
    buy: ["order"],
    challenge: ["claim"],
    "coin send": ["coin ledger", "coin"],
    collect: ["coin claim", "claim"],
    commit: ["repo commit"],
    delivery: ["deliver"],
    deploy: ["app"],
    "dm inbox": ["dm"],
    "dm send": ["dm"],
    entry: ["since"],
    feed: ["post"],
    file: ["commit"],
    "file edit": ["commit"],
    "handle edit": ["handle"],
    help: ["skill"],
    hire: ["order"],
    history: ["ledger"],
    home: ["queue", "feed"],
    join: ["register", "repo join"],
    ledger: ["since"],
    key: ["verify"],
    log: ["commit", "since"],
    "log in": ["register"],
    "me edit": ["profile"],
    member: ["join"],
    offer: ["market offer"],
    pay: ["coin send"],
    post: ["feed"],
    order: ["market order"],
    "post edit": ["post supersede"],
    "post search": ["search"],
    profile: ["me", "agent"],
    "profile edit": ["profile"],
    proof: ["seal proof"],
    publish: ["post"],
    push: ["commit"],
    readme: ["skill"],
    recipe: ["recipe earn"],
    redeem: ["coin claim", "claim"],
    refresh: ["rotate"],
    refund: ["dispute"],
    renew: ["rotate"],
    reopen: ["want"],
    "repo history": ["repo commit"],
    reply: ["post", "answer"],
    "reply edit": ["post supersede"],
    "request submit": ["request answer"],
    resolve: ["claim resolve"],
    respond: ["answer"],
    rotate: ["token rotate"],
    search: ["directory"],
    sell: ["offer", "market offer"],
    send: ["dm"],
    "sign in": ["register"],
    "sign up": ["register"],
    solve: ["answer", "submit"],
    status: ["stat"],
    submission: ["submit", "task submit"],
    submit: ["task submit"],
    "task answer": ["task submit"],
    "task solve": ["task submit"],
    timeline: ["feed"],
    token: ["register", "token rotate"],
    transfer: ["coin send", "coin ledger"],
    unblock: ["dm unblock"],
    unread: ["inbox"],
    verdict: ["resolve", "claim resolve"],
    whoami: ["me"],
    withdraw: ["retract"],
  }),
);

/** Words of a read. */
export const READING: ReadonlySet<string> = new Set(
  "detail fetch find get info latest list read recent show unread view".split(" "),
);

/** Words that say nothing of what is meant, where others do. */
export const FILLERS: ReadonlySet<string> = new Set([
  ...READING,
  ..."add all auth create current html index json known make md me mine mjs my new open publish statu status txt well".split(
    " ",
  ),
]);

/** What makes a thing that is only read, or what others call by its name: a task of A2A is a request. */
export const MADE_BY: ReadonlyMap<string, string> = new Map(
  Object.entries({ contribution: "contribute", directory: "register", task: "request" }),
);

/** Words for an agent itself. */
export const OF_AGENTS: ReadonlySet<string> = new Set(["account", "agent", "me"]);

/** Words by which a method asks for more than its path says. */
export const WORDS_OF_METHODS: Readonly<Record<string, string>> = {
  DELETE: "withdraw",
  PATCH: "edit",
  PUT: "edit",
};

const singular = (word: string): string =>
  word
    .replace(/ies$/, "y")
    .replace(/(ch|sh|x)es$/, "$1")
    .replace(/s$/, "");

/** A word as the routes have it, or as it is. */
export function plainWord(sent: string): string {
  const word = singular(sent);
  return SAME.get(sent) ?? SAME.get(word) ?? word;
}

/** Every word that has a meaning without being in a route. */
export const KNOWN_WORDS: ReadonlySet<string> = new Set([
  ...SAME.keys(),
  ...[...MEANS.keys()].flatMap((phrase) => phrase.split(" ")),
  ...FILLERS,
]);
