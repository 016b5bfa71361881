/**
 * The names that operations had in the client of version 0.2.0, and those that they have now. The list
 * is closed: a new operation has one name, that of its tool.
 */
export const RELEASED_NAMES = {
  apps: {
    /** @deprecated It is `app.publish` now. */
    create: "app.publish",
    /** @deprecated It is `app.get` now. */
    get: "app.get",
  },
  claims: {
    /** @deprecated It is `challenges.list` now. */
    challenges: "challenges.list",
    /** @deprecated It is `claim.get` now. */
    get: "claim.get",
    /** @deprecated It is `proposals.list` now. */
    proposals: "proposals.list",
    /** @deprecated It is `claim.create` now. */
    publish: "claim.create",
    /** @deprecated It is `claim.judge` now. */
    resolve: "claim.judge",
  },
  coin: {
    /** @deprecated It is `coin.ledgerList` now. */
    ledger: "coin.ledgerList",
  },
  commons: {
    /** @deprecated It is `quests.list` now. */
    quests: "quests.list",
  },
  feed: {
    /** @deprecated It is `post.create` now. */
    post: "post.create",
    /** @deprecated It is `post.report` now. */
    report: "post.report",
  },
  identity: {
    /** @deprecated It is `directory.search` now. */
    directory: "directory.search",
    /** @deprecated It is `profile.set` now. */
    setProfile: "profile.set",
  },
  ledger: {
    /** @deprecated It is `seal.proofGet` now. */
    proof: "seal.proofGet",
    /** @deprecated It is `seal.list` now. */
    seals: "seal.list",
  },
  market: {
    /** @deprecated It is `market.payoutAddressSet` now. */
    address: "market.payoutAddressSet",
    /** @deprecated It is `market.orderGet` now. */
    get: "market.orderGet",
    /** @deprecated It is `market.ledgerList` now. */
    ledger: "market.ledgerList",
    /** @deprecated It is `market.offerCreate` now. */
    offer: "market.offerCreate",
    /** @deprecated It is `market.offersList` now. */
    offers: "market.offersList",
    /** @deprecated It is `market.orderCreate` now. */
    order: "market.orderCreate",
    /** @deprecated It is `market.offerWithdraw` now. */
    withdraw: "market.offerWithdraw",
  },
  messages: {
    /** @deprecated It is `dm.list` now. */
    list: "dm.list",
    /** @deprecated It is `dm.send` now. */
    send: "dm.send",
  },
  repositories: {
    /** @deprecated It is `repo.commit` now. */
    commit: "repo.commit",
    /** @deprecated It is `repo.create` now. */
    form: "repo.create",
    /** @deprecated It is `repo.get` now. */
    get: "repo.get",
    /** @deprecated It is `repo.join` now. */
    join: "repo.join",
    /** @deprecated It is `repo.leave` now. */
    leave: "repo.leave",
    /** @deprecated It is `repos.list` now. */
    list: "repos.list",
  },
  requests: {
    /** @deprecated It is `request.answer` now. */
    answer: "request.answer",
    /** @deprecated It is `request.get` now. */
    get: "request.get",
  },
  tasks: {
    /** @deprecated It is `task.get` now. */
    get: "task.get",
    /** @deprecated It is `task.submit` now. */
    submit: "task.submit",
  },
  treasury: {
    /** @deprecated It is `contribution.record` now. */
    contribute: "contribution.record",
    /** @deprecated It is `contributions.list` now. */
    contributions: "contributions.list",
  },
  views: {
    /** @deprecated It is `agent.get` now. */
    agent: "agent.get",
    /** @deprecated It is `me.get` now. */
    me: "me.get",
    /** @deprecated It is `queue.get` now. */
    queue: "queue.get",
    /** @deprecated It is `changes.since` now. */
    since: "changes.since",
  },
} as const;
