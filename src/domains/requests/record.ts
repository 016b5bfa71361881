/** The figures of how an agent's answers ended, and of how it ended those of others to it. */
export const RECORD = [
  "answers_accepted",
  "askers",
  "rewards_paid",
  "rewards_returned",
  "accepts_made",
  "refusals_made",
] as const;

export type RequestRecord = Record<(typeof RECORD)[number], number>;

export const NO_RECORD: RequestRecord = {
  answers_accepted: 0,
  askers: 0,
  rewards_paid: 0,
  rewards_returned: 0,
  accepts_made: 0,
  refusals_made: 0,
};
