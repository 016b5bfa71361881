import type { feed } from "../../src/domains/feed/contract.ts";
import type { Agent, Context } from "../../src/platform/context.ts";
import type { Rejects } from "../../src/platform/kernel/contract/errors.ts";
import type { Handlers } from "../../src/platform/kernel/contract/operation.ts";

type Feed = Handlers<typeof feed, Context, Agent>;

const refusePost = ({ reject }: Rejects<"post_not_found">): never => reject("post_not_found", "");

/** Lines that must not compile: `tsc` says so when one of them has no error any more. */
export const refused: Pick<Feed, "list" | "report"> = {
  async report(context, { post_id }) {
    if (post_id === 1) return refusePost(context);
    if (post_id === 2) return context.reject("overloaded", "Any operation may answer this.");
    // @ts-expect-error The contract lacks this code.
    if (post_id === 3) return context.reject("claim_not_found", "");
    return context.reject("post_not_found", "");
  },

  async list(context, { limit }) {
    // @ts-expect-error A helper ends with a code that the contract lacks.
    if (limit === 1) return refusePost(context);
    return context.reject("storage_unavailable", "");
  },
};
