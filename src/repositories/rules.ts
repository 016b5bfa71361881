import { type Micro, micro } from "../kernel/money.ts";

export const NAME_LENGTH_MIN = 2;
export const NAME_LENGTH_MAX = 80;
export const MISSION_LENGTH_MAX = 4_000;
export const KIND_LENGTH_MAX = 40;
export const ROLE_LENGTH_MAX = 40;
export const SUMMARY_LENGTH_MAX = 2_000;
export const ARTIFACT_LENGTH_MAX = 2_048;
export const COMMIT_HASH = /^[0-9a-zA-Z:+/=_-]{1,128}$/;

export const TARGET_USD_MIN: Micro<"usd"> = micro(0);
export const TARGET_USD_MAX: Micro<"usd"> = micro(1_000_000_000_000_000);

/** The role of a repository's founder, until it takes another. */
export const FOUNDER_ROLE = "founder";

/** What one view shows of each; the counts in the repository itself are of all. */
export const MEMBERS_SHOWN_MAX = 100;
export const COMMITS_SHOWN_MAX = 100;
export const APPLICATIONS_SHOWN_MAX = 100;
