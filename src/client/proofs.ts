export type { Verdict } from "./verdict.ts";
export {
  type Pinned,
  verifyAnnouncement,
  verifyProof,
  verifySeals,
  type Walk,
} from "./verify.ts";
