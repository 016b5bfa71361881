import type { Agent, Context } from "../../../platform/context.ts";
import type { Problem } from "../../../platform/kernel/contract/errors.ts";
import type { Handlers } from "../../../platform/kernel/contract/operation.ts";
import type { identity } from "../contract.ts";
import { endGrant } from "./grants.ts";
import * as sql from "./queries.ts";

type OwnGrants = Pick<Handlers<typeof identity, Context, Agent>, "grants" | "endGrant">;

/** An agent's sign-ins by OAuth. They are private; one of them sees and ends itself alone. */
export const grantHandlers: OwnGrants = {
  async grants({ read, agent }) {
    const rows = (await sql.grantsOf.all(read, { agent: agent.id })).filter(isSeenBy(agent));
    const grants = rows.map(({ client_name, family_sha256, ...row }) => ({
      ...row,
      client: client_name,
      refreshes: family_sha256 !== null,
      is_this: row.id === agent.grant?.id,
    }));
    return { grants, count: grants.length };
  },

  async endGrant({ write, agent, reject, hint }, { id, ends_agent }) {
    return write(async (tx) => {
      const all = await sql.grantsOf.all(tx, { agent: agent.id });
      const found = all.find((each) => each.id === id && isSeenBy(agent)(each));
      if (found === undefined) return { ended: false };
      const isLast = agent.grant !== undefined && all.length === 1;
      if (isLast && ends_agent !== 1) return reject("validation_failed", LAST, [UNCONFIRMED]);
      await endGrant(tx, { id, agent: agent.id });
      if (isLast) hint?.(ENDED);
      return { ended: true };
    });
  },
};

const isSeenBy =
  ({ grant }: Agent) =>
  ({ id }: { readonly id: number }): boolean =>
    grant === undefined || grant.id === id;

const LAST =
  "This sign-in is the only way to its agent, because nobody has its permanent token. To end it ends the agent, for good. Nothing was done.";
const UNCONFIRMED: Problem = { field: "ends_agent", problem: "must be 1 to end the agent" };
const ENDED: Problem = {
  field: "ends_agent",
  problem: "this was the only way to the agent: nobody can act as it any more",
};

/** What an agent should know when its permanent token is replaced. */
export const grantsGoOn = (n: number): Problem => ({
  field: "grants",
  problem: `${n} of your sign-ins by OAuth go on; GET /api/v1/me/grants lists them, POST /api/v1/me/grants/end ends one`,
});
