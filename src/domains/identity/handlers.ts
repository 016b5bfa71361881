import type { Agent, Context } from "../../platform/context.ts";
import type { Db } from "../../platform/db/engine.ts";
import { canonicalJson } from "../../platform/kernel/canonical.ts";
import type { Handlers } from "../../platform/kernel/contract/operation.ts";
import { enactSurely } from "../../platform/ledger/rows/enact.ts";
import { demandAllowed, enactAllowed } from "../../platform/ledger/rows/enact-allowed.ts";
import { removal } from "../removals/queries.ts";
import { newChallenge } from "./challenge.ts";
import type { identity } from "./contract.ts";
import { listDirectory } from "./directory/directory.ts";
import {
  capabilitiesOf,
  isKey,
  keysOf,
  relist,
  showProfile,
  withKeys,
} from "./directory/profile.ts";
import { relearnProfile } from "./directory/profile-words.ts";
import * as entries from "./entries.ts";
import { grantHandlers, grantsGoOn } from "./grants/own-grants.ts";
import { grantsOf } from "./grants/queries.ts";
import { keepKey, loseKey, setKey } from "./keys/keys.ts";
import { callerOf, handle as handleRule } from "./ledger.ts";
import * as sql from "./queries.ts";
import { listRecognitions } from "./recognition.ts";
import { holderOf, registerAgent, saveThis, shownHolder } from "./registrations/registering.ts";
import { rows } from "./rows.ts";
import { newToken, refuseToken, tokenDigest } from "./tokens.ts";

export const identityHandlers: Handlers<typeof identity, Context, Agent> = {
  challenge: (context) => newChallenge(context),

  register: (context, sent) => registerAgent(context, sent, async () => {}),

  async setHandle(context, { handle }) {
    const { read, write, clock, agent } = context;
    const { agent_id } = agent;
    const namingIn = async (db: Db) => {
      const [own, holder] = [await handleOf(db, agent_id), await holderOf(db, handle)];
      return {
        before: { agent: callerOf({ handle: own }), isFree: holder === null },
        given: { agent: agent_id, handle },
        now: clock.now(),
        shows: {
          set: [{ field: "handle", problem: own === "" ? "is withheld" : `is ${own}` }],
          taken: shownHolder(holder ?? ""),
        },
      };
    };
    demandAllowed(context, [handleRule, rows.handle], await namingIn(read));
    return write(async (tx) => {
      await enactAllowed(context, tx, [handleRule, rows.handle], await namingIn(tx));
      return { agent_id, handle };
    });
  },

  async setProfile({ write, clock, agent, reject }, sent) {
    return write(async (tx) => {
      const old = await sql.profileOf.first(tx, { agent: agent.id });
      const presence = await sql.presenceOf.first(tx, { agent: agent.id });
      const updated_at = clock.now();
      const before = capabilitiesOf(old?.capabilities ?? null);
      const keys = old === undefined ? [] : await keysOf(tx, agent.agent_id, old);
      const profile = {
        name: sent.name ?? old?.name ?? null,
        purpose: sent.purpose ?? old?.purpose ?? null,
        capabilities: sent.capabilities
          ? canonicalJson(withKeys(sent.capabilities, keys, sent.drop_keys === 1))
          : (old?.capabilities ?? (keys.length > 0 ? canonicalJson(keys) : null)),
      };
      const fresh = capabilitiesOf(profile.capabilities).filter(isKey);
      if (agent.grant !== undefined && new Set(fresh).symmetricDifference(new Set(keys)).size > 0)
        reject("validation_failed", KEYS_OF_A_GRANT, [
          { field: "capabilities", problem: "must leave the keys of messages as they are" },
        ]);
      await enactSurely(tx, rows.profile, { agent, ...profile }, updated_at);
      const change = {
        from: old ? before : null,
        to: capabilitiesOf(profile.capabilities),
      };
      await relist(tx, agent.id, change, presence?.last_seen_at ?? updated_at);
      await relearnProfile(tx, agent.id, {
        from: old === undefined ? null : { ...old, capabilities: before },
        to: { ...profile, capabilities: change.to },
      });
      const kept = new Set(change.to);
      const removed = before.filter((each) => !kept.has(each));
      const shown = showProfile({ ...profile, updated_at });
      return { profile: shown, ...(removed.length > 0 && { removed }) };
    });
  },

  directory: ({ snapshot }, asked) => snapshot((read) => listDirectory(read, asked)),

  recognitions: (context, asked) => listRecognitions(context, asked),

  setKey: async (context, sent) => ({ key: await setKey(context, sent) }),

  recoverKey: async (context, { pubkey }) => ({ key: await loseKey(context, pubkey) }),

  keepKey: async (context) => ({ key: await keepKey(context) }),

  ...grantHandlers,

  async rotateToken({ write, clock, random, settings, agent, hint }) {
    const token = newToken(random);
    const fresh = { token_sha256: tokenDigest(token), agent: agent.id, created_at: clock.now() };
    const old_sha256 = agent.token_sha256;
    const replaced = await write(async (tx) => {
      const rows = await sql.replaceToken.run(tx, { ...fresh, old_sha256 });
      if (rows > 0 && old_sha256 !== undefined)
        await sql.endToken.run(tx, { token_sha256: old_sha256, agent: agent.id });
      return { rows, grants: (await grantsOf.all(tx, { agent: agent.id })).length };
    });
    if (replaced.rows === 0) refuseToken(); // A rotation with the same token was faster.
    if (replaced.grants > 0) hint?.(grantsGoOn(replaced.grants));
    return {
      agent_id: agent.agent_id,
      token,
      save_this: saveThis(settings, agent.agent_id, token),
    };
  },
};

/** A key outlives the grant by which it was set. */
const KEYS_OF_A_GRANT =
  "A sign-in by OAuth cannot set or drop keys: they would outlive it. Send the agent's permanent token for that.";

/** The handle of an agent; "" where the operator withholds it, which is still its own. */
async function handleOf(read: Db, agent_id: string): Promise<string | null> {
  const own = await sql.agentById.first(read, { agent_id });
  const removed = await removal.first(read, { kind: entries.agent.kind, ref: agent_id });
  return removed?.hidden_at == null ? (own?.handle ?? null) : "";
}
