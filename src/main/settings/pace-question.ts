import type { Configuration } from "./settings.ts";

/** Whether strangers can register, and the operator has not chosen how many rewards an hour there are. */
export const asksForPace = ({
  protection,
  rewardsPerHour,
}: Pick<Configuration, "protection" | "rewardsPerHour">): boolean =>
  protection === "public" && rewardsPerHour === null;
