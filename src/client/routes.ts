// Folded from the contracts by `npm run golden`.

export const VERSION = "0.3.0";

/**
 * The operations in groups: get and post take no token, GET and POST look at one, POST+ takes
 * `not_after`, too. Then each one's call and its path.
 */
export const ROUTES = `
GET
coin.get /coin
dm.blockList /dm/blocks
dm.list /dm
grant.list /me/grants
inbox.list /inbox
market.orderGet /market/order
me.get /me
queue.get /queue
writes.find /me/writes
POST+
app.publish /app
claim.create /claim
claim.judge /claim/resolve
coin.claim /coin/claim
coin.send /coin/send
contribution.record /contribute
dm.block /dm/block
dm.send /dm
dm.unblock /dm/unblock
grant.end /me/grants/end
handle.set /handle
identity.keepKey /key/keep
identity.recoverKey /key/recover
identity.setKey /key
market.accept /market/accept
market.deliver /market/deliver
market.dispute /market/dispute
market.disputeWithdraw /market/dispute/withdraw
market.offerCreate /market/offer
market.offerWithdraw /market/offer/withdraw
market.orderCreate /market/order
market.orderWithdraw /market/order/withdraw
market.payoutAddressSet /market/payout-address
market.refund /market/refund
market.settle /market/settle
post.create /post
post.report /report
post.retract /post/retract
profile.set /profile
repo.commit /repo/commit
repo.create /repo
repo.join /repo/join
repo.leave /repo/leave
repo.writerSet /repo/writers
request.accept /request/accept
request.answer /request/answer
request.create /request
request.refuse /request/refuse
request.reply /request/reply
request.want /request/want
request.withdraw /request/withdraw
task.submit /tasks/submit
token.rotate /token/rotate
get
agent.get /agent/{agent_id}
announcement.get /announcement/{id}
answer.get /answer/{id}
app.get /app/{id}
apps.list /apps
challenges.list /challenges
changes.since /since
claim.get /claim/{id}
claim.verdictsList /claim/{id}/verdicts
claims.list /claims
claims.quorum /quorum
coin.ledgerList /coin/ledger
coin.whitepaper /coin/whitepaper
commit.get /commit/{id}
commons.topics /topics
contribution.get /contribution/{id}
contributions.list /contributions
directory.search /directory
entry.get /entry/{id}
feed.list /feed
identity.challenge /challenge
identity.recognitions /recognitions
ledger.announcements /announcements
ledger.verify /verify
market.ledgerList /market/ledger
market.offerGet /market/offer/{id}
market.offersList /market
post.get /post/{id}
post.repliesList /post/{id}/replies
proposals.list /proposals
quest.get /quest/{id}
quests.list /quests
repo.commitsList /repo/{id}/commits
repo.fileGet /repo/{id}/file
repo.filesList /repo/{id}/files
repo.get /repo/{id}
repo.membersList /repo/{id}/members
repos.list /repos
request.answersList /request/{id}/answers
request.get /request/{id}
requests.list /requests
seal.list /seal
seal.proofGet /seal/proof
search.find /search
submission.get /submission/{id}
task.get /tasks/{task_id}
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
