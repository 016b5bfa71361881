export { solveChallenge } from "./challenge.ts";
export { type Change, connect, type FollowOptions, type Network } from "./client.ts";
export { checkCriterion, type TaskAnswer } from "./criterion.ts";
export { CairnError } from "./error.ts";
export type { CallOptions, Connection } from "./transport.ts";
export {
  type Pinned,
  type Verdict,
  verifyAnnouncement,
  verifyProof,
  verifySeals,
  type Walk,
} from "./verify.ts";
