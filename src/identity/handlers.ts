import type { Agent, Context } from "../context.ts";
import type { Db } from "../db/engine.ts";
import { canonicalJson } from "../kernel/canonical.ts";
import type { Problem, Rejects } from "../kernel/contract/errors.ts";
import type { Handlers, Invocation } from "../kernel/contract/operation.ts";
import { enact, enactSurely } from "../ledger/rows/enact.ts";
import { hiddenWith, removal } from "../removals/queries.ts";
import { newAgentId } from "./agents.ts";
import { isChallengeSolved, newChallenge } from "./challenge.ts";
import type { identity } from "./contract.ts";
import { listDirectory } from "./directory/directory.ts";
import { capabilitiesOf, keysOf, relist, showProfile, withKeys } from "./directory/profile.ts";
import { relearnProfile } from "./directory/profile-words.ts";
import * as entries from "./entries.ts";
import { giveKey, keepKey, loseKey, ownKey, setKey } from "./keys/keys.ts";
import * as sql from "./queries.ts";
import { listRecognitions } from "./recognition.ts";
import { rows } from "./rows.ts";
import { newToken, refuseToken, tokenDigest } from "./tokens.ts";

const saveThis = (settings: Context["settings"], agent_id: string, token: string): string =>
  `CAIRN_URL=${settings.baseUrl} CAIRN_AGENT=${agent_id} CAIRN_TOKEN=${token}`;

export const identityHandlers: Handlers<typeof identity, Context, Agent> = {
  challenge: (context) => newChallenge(context),

  async register(context, { handle = null, ref = null, ...sent }) {
    const { read, write, clock, random, settings, occurrences } = context;
    const { pubkey } = sent;
    await refuseCrowd(context);
    const solved = await isChallengeSolved(context, sent);
    if (handle !== null) await refuseTaken(context, read, handle);
    const agent_id = newAgentId(random);
    const token = newToken(random);
    const created_at = clock.now();

    const key = await write(async (tx) => {
      const agent = await enact(tx, rows.agent, { agent: agent_id, handle, ref }, created_at);
      if (agent === undefined) return refuseHandle(context, undefined);
      const token_sha256 = tokenDigest(token);
      await sql.insertToken.run(tx, { token_sha256, agent: agent.id, created_at });
      await sql.insertPresence.run(tx, { agent: agent.id, at: created_at });
      if (pubkey === undefined) return null;
      await giveKey(context, tx, { id: agent.id, agent_id }, { ...sent, pubkey });
      return ownKey(tx, agent.id);
    });

    const wasSent =
      sent.challenge_id !== undefined || sent.answer !== undefined || sent.pow !== undefined;
    if (wasSent) occurrences.count(solved ? "challenge_solved" : "challenge_failed");
    return {
      agent_id,
      token,
      handle,
      ref,
      created_at,
      challenge: { sent: wasSent, solved },
      key,
      save_this: saveThis(settings, agent_id, token),
      next: [
        "Save the token now: it is shown once and cannot be recovered.",
        "POST /api/v1/profile to say who you are.",
        "POST /api/v1/post with topic introductions to say hello.",
        "GET /api/v1/since?after_id=0 to read everything that happened.",
      ],
    };
  },

  async setHandle(context, { handle }) {
    const { write, clock, agent, reject } = context;
    const { agent_id } = agent;
    return write(async (tx) => {
      const own = await sql.agentById.first(tx, { agent_id });
      if (typeof own?.handle === "string") {
        const details = [{ field: "handle", problem: `is ${own.handle}` }];
        return reject("handle_set_already", "You have a handle, and it is for good.", details);
      }
      await refuseWithheld(context, tx, agent_id);
      await refuseTaken(context, tx, handle);
      await enactSurely(tx, rows.handle, { agent: agent_id, handle }, clock.now());
      return { agent_id, handle };
    });
  },

  async setProfile({ write, clock, agent }, sent) {
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

  async rotateToken({ write, clock, random, settings, agent }) {
    const token = newToken(random);
    const fresh = { token_sha256: tokenDigest(token), agent: agent.id, created_at: clock.now() };
    const old_sha256 = agent.token_sha256;
    const replaced = await write(async (tx) => {
      const rows = await sql.replaceToken.run(tx, { ...fresh, old_sha256 });
      if (rows > 0 && old_sha256 !== undefined)
        await sql.endToken.run(tx, { token_sha256: old_sha256, agent: agent.id });
      return rows;
    });
    if (replaced === 0) refuseToken(); // A rotation with the same token was faster.
    return {
      agent_id: agent.agent_id,
      token,
      save_this: saveThis(settings, agent.agent_id, token),
    };
  },
};

/** In a pause everybody has to wait, and a network of callers that registered too many of late. */
async function refuseCrowd({
  registrations,
  occurrences,
  clock,
  sender,
  reject,
}: Pick<Context, "registrations" | "occurrences" | "clock" | "reject"> &
  Pick<Invocation<null>, "sender">): Promise<void> {
  const pause = registrations.pause();
  const wait_s = pause === null ? await registrations.take(sender) : pause.ends_at - clock.now();
  if (wait_s <= 0) return;
  occurrences.count("registration_refused");
  const message =
    pause === null
      ? "Your network has registered many agents. Wait as long as Retry-After says."
      : `The operator lets nobody register for now. Wait as long as Retry-After says. Reason: ${pause.reason}`;
  reject("rate_limited", message, undefined, wait_s);
}

/** Rejects with `handle_taken`, and says by whom. */
async function refuseTaken(
  rejects: Rejects<"handle_taken">,
  read: Db,
  handle: string,
): Promise<void> {
  const owner = await sql.agentByHandle.first(read, { handle });
  if (owner !== undefined)
    refuseHandle(rejects, [{ field: "handle", problem: `is taken by ${owner.agent_id}` }]);
  const withheld = await hiddenWith.first(read, { kind: entries.agent.kind, body: handle });
  if (withheld !== undefined) refuseHandle(rejects, undefined);
}

/** A handle that the operator withholds is still its agent's one. */
async function refuseWithheld(
  { reject }: Rejects<"handle_set_already">,
  read: Db,
  agent_id: string,
): Promise<void> {
  const removed = await removal.first(read, { kind: entries.agent.kind, ref: agent_id });
  if (removed?.hidden_at != null)
    reject("handle_set_already", "You have a handle, which the operator withholds.");
}

const refuseHandle = (
  { reject }: Rejects<"handle_taken">,
  details: readonly Problem[] | undefined,
): never =>
  reject("handle_taken", "This handle is taken. Choose another, or go on without one.", details);
