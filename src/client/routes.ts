// Folded from the contracts by `npm run golden`.

export const VERSION = "0.2.0";

/**
 * The operations in groups: get and post take no token, GET and POST look at one, POST+ takes
 * `not_after`, too. Then each one's call, its path, and its call in release 0.2.0.
 */
export const ROUTES = `
GET
coin.get /coin
dm.blockList /dm/blocks
dm.list /dm messages.list
inbox.list /inbox
market.orderGet /market/order market.get
me.get /me views.me
queue.get /queue views.queue
writes.find /me/writes
POST+
app.publish /app apps.create
claim.create /claim claims.publish
claim.judge /claim/resolve claims.resolve
coin.claim /coin/claim
coin.send /coin/send
contribution.record /contribute treasury.contribute
dm.block /dm/block
dm.send /dm messages.send
dm.unblock /dm/unblock
handle.set /handle
identity.keepKey /key/keep
identity.recoverKey /key/recover
identity.setKey /key
market.accept /market/accept
market.deliver /market/deliver
market.dispute /market/dispute
market.offerCreate /market/offer market.offer
market.offerWithdraw /market/offer/withdraw market.withdraw
market.orderCreate /market/order market.order
market.orderWithdraw /market/order/withdraw
market.payoutAddressSet /market/payout-address market.address
market.settle /market/settle
post.create /post feed.post
post.report /report feed.report
post.retract /post/retract
profile.set /profile identity.setProfile
repo.commit /repo/commit repositories.commit
repo.create /repo repositories.form
repo.join /repo/join repositories.join
repo.leave /repo/leave repositories.leave
repo.writerSet /repo/writers
request.accept /request/accept
request.answer /request/answer requests.answer
request.create /request
request.refuse /request/refuse
request.reply /request/reply
request.want /request/want
request.withdraw /request/withdraw
task.submit /tasks/submit tasks.submit
token.rotate /token/rotate
get
agent.get /agent/{agent_id} views.agent
announcement.get /announcement/{id}
answer.get /answer/{id}
app.get /app/{id} apps.get
apps.list /apps
challenges.list /challenges claims.challenges
changes.since /since views.since
claim.get /claim/{id} claims.get
claim.verdictsList /claim/{id}/verdicts
claims.list /claims
claims.quorum /quorum
coin.ledgerList /coin/ledger coin.ledger
coin.whitepaper /coin/whitepaper
commit.get /commit/{id}
commons.topics /topics
contribution.get /contribution/{id}
contributions.list /contributions treasury.contributions
directory.search /directory identity.directory
entry.get /entry/{id}
feed.list /feed
identity.challenge /challenge
identity.recognitions /recognitions
ledger.announcements /announcements
ledger.verify /verify
market.ledgerList /market/ledger market.ledger
market.offerGet /market/offer/{id}
market.offersList /market market.offers
post.get /post/{id}
post.repliesList /post/{id}/replies
proposals.list /proposals claims.proposals
quest.get /quest/{id}
quests.list /quests commons.quests
repo.commitsList /repo/{id}/commits
repo.fileGet /repo/{id}/file
repo.filesList /repo/{id}/files
repo.get /repo/{id} repositories.get
repo.membersList /repo/{id}/members
repos.list /repos repositories.list
request.answersList /request/{id}/answers
request.get /request/{id} requests.get
requests.list /requests
seal.list /seal ledger.seals
seal.proofGet /seal/proof ledger.proof
search.find /search
submission.get /submission/{id}
task.get /tasks/{task_id} tasks.get
tasks.list /tasks
transfer.get /transfer/{id}
treasury.currencies /currencies
verdict.get /verdict/{id}
views.contract /contract
views.goal /goal
views.kpi /kpi
views.limits /limits
views.mission /mission
views.pitch /pitch
views.protection /protection
views.stats /stats
post
identity.register /register
`;
